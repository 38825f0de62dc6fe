"""Planning: every figure is that of the mechanism itself, the inverse questions invert, and nothing private is asked.

Would catch: a bound of another method or relation, a search that ends one step off, an expectation that is not the
mean over noise, a picture without one of the methods.
"""

import json
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from typer.testing import CliRunner

import spark_dp as dp
from spark_dp import cli, pictures
from spark_dp.errors import ArgumentError, SparkDPError
from spark_dp.mechanisms.registry import MECHANISMS
from spark_dp.planning import needs
from spark_dp.planning.expected import expected_error, guessed_table
from spark_dp.planning.search import Search, index_of, rounded
from spark_dp.privacy import Relation

PAIRS = [(name, relation.value) for name, cls in sorted(MECHANISMS.items()) for relation in sorted(cls.relations)]


def bound(name, eps, k, relation, draws, n):
    public = n if relation == "replace" else None
    return dp.mechanism(name, eps, k, relation=relation, num_samples=draws, n=public).error_bound(n)


@pytest.mark.parametrize(("name", "relation"), PAIRS)
@pytest.mark.parametrize(("eps", "draws", "error"), [("1", 1, "0.01"), ("0.2", 5, "0.07"), ("3", 40, "0.3")])
def test_rows_needed_is_the_first_number_that_keeps_the_error(name, relation, eps, draws, error):
    found = dp.rows_needed(9, eps, error=error, method=name, num_samples=draws, relation=relation)
    assert bound(name, eps, 9, relation, draws, found) <= Fraction(error)
    before = rounded(index_of(found) - 1)
    if name == "subrr" and before < draws:
        return
    assert bound(name, eps, 9, relation, draws, before) > Fraction(error)


@pytest.mark.parametrize(("name", "relation"), PAIRS)
@pytest.mark.parametrize(("n", "draws", "error"), [(1000, 1, "0.02"), (50_000, 7, "0.001")])
def test_eps_needed_is_the_least_that_keeps_the_error(name, relation, n, draws, error):
    found = dp.eps_needed(n, 9, error=error, method=name, num_samples=draws, relation=relation)
    assert isinstance(found, Decimal)
    assert bound(name, found, 9, relation, draws, n) <= Fraction(error)
    step = Decimal(10) ** (found.adjusted() - 2)
    assert bound(name, found - step, 9, relation, draws, n) > Fraction(error)


@pytest.mark.parametrize(("name", "relation"), PAIRS)
def test_most_samples_is_the_last_number_that_keeps_the_error(name, relation):
    planned = dp.plan(3000, 9, "0.5", relation=relation, error="0.03")
    most = int(planned.table.loc[name, "most_samples"])
    assert bound(name, "0.5", 9, relation, most, 3000) <= Fraction("0.03")
    if most < 10**9:
        assert bound(name, "0.5", 9, relation, rounded(index_of(most) + 1), 3000) > Fraction("0.03")


@pytest.mark.parametrize("relation", ["any", "replace", "add-remove"])
def test_every_figure_is_the_mechanisms_own(relation):
    planned = dp.plan(1000, 9, "0.5", 3, relation=relation)
    assert sorted(planned.table.index) == sorted(MECHANISMS)
    for name, line in planned.table.iterrows():
        if Relation(relation) not in MECHANISMS[name].relations:
            assert "has no proven guarantee" in line["note"]
            assert math.isnan(line["worst_tv"])
            continue
        assert line["worst_tv"] == float(bound(name, "0.5", 9, relation, 3, 1000))
        assert line["rows_needed"] == dp.rows_needed(9, "0.5", method=name, num_samples=3, relation=relation)
    chosen = dp.mechanism("auto", "0.5", 9, relation=relation, num_samples=3).name
    assert planned.chosen == chosen
    assert list(planned.table.index[planned.table["chosen"]]) == [chosen]
    answered = planned.table["worst_tv"].dropna()
    assert list(answered) == sorted(answered)


def test_q_floor_and_noise_scale():
    table = dp.plan(1000, 9, 1, relation="replace").table
    t = 1 / (math.e - 1)
    for name in ("roo", "ds-roo", "subrr", "dirichlet", "smoothed-histogram"):
        assert table.loc[name, "floor"] == pytest.approx(t)
        assert table.loc[name, "q"] == pytest.approx(9 * t / (1000 + 9 * t))
    assert table.loc["ss-roo", "floor"] < t
    assert table["noise_scale"].dropna().to_dict() == {"perturbed-histogram": 2.0, "laplace-projection": 2.0}


def test_expected_error_of_smoothed_counts_is_that_of_the_pmf():
    counts = np.array([0, 3, 17, 80])
    for name in ("roo", "ds-roo", "ss-roo", "dirichlet"):
        tested = dp.mechanism(name, "0.3", 4)
        pmf = tested.pmf(counts.tolist())
        exact = sum(abs(p - Fraction(int(c), 100)) for p, c in zip(pmf, counts, strict=True)) / 2
        assert expected_error(tested, counts) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("name", ["perturbed-histogram", "laplace-projection"])
@pytest.mark.parametrize("relation", ["any", "replace"])
def test_expected_error_of_noisy_counts_is_the_mean_over_fresh_noise(name, relation):
    counts = np.array([0, 0, 5, 40, 155])
    tested = dp.mechanism(name, "0.2", 5, relation=relation, n=200 if relation == "replace" else None)
    found = [np.array(tested.released_weights(counts.tolist()), float) for _ in range(4000)]
    errors = [np.abs(weights / weights.sum() - counts / 200).sum() / 2 for weights in found if weights.sum()]
    # Both means are of hundreds of tables or more; a scale that is 10 % off moves them by 9 %.
    assert expected_error(tested, counts) == pytest.approx(np.mean(errors), rel=0.06)
    wrong = dp.mechanism(name, "0.17", 5, relation=relation, n=tested.n)
    assert expected_error(wrong, counts) != pytest.approx(np.mean(errors), rel=0.06)


def test_a_plan_is_the_same_each_time():
    assert str(dp.plan(500, 7, 1, distribution="zipf")) == str(dp.plan(500, 7, 1, distribution="zipf"))


@pytest.mark.parametrize(
    ("distribution", "counts"),
    [("uniform", [3, 3, 2, 2]), ([1, 0, 0, 0], [10, 0, 0, 0]), (["0.5", 0.25, 1, Fraction(1, 4)], [3, 1, 5, 1])],
)
def test_guessed_tables_hold_all_rows(distribution, counts):
    assert guessed_table(distribution, 10, 4).tolist() == counts
    assert guessed_table(distribution, 2**60 + 1, 4).sum() == 2**60 + 1


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: dp.plan(0, 9, 1), "n = 0 must be a public figure for the number of rows"),
        (lambda: dp.plan(1.5, 9, 1), "n = 1.5 must be a public figure"),
        (lambda: dp.plan(10, 0, 1), "k = 0 must be the size of the domain"),
        (lambda: dp.plan(10, 9, 0), "eps = 0 must be positive"),
        (lambda: dp.plan(10, 9, 1, 0), "num_samples = 0"),
        (lambda: dp.plan(10, 9, 1, relation="swap"), "'swap' is not a neighboring relation"),
        (lambda: dp.plan(10, 9, 1, error=0), "error = 0 cannot be aimed at"),
        (lambda: dp.plan(10, 9, 1, error="x"), "error = 'x' is not a number"),
        (lambda: dp.plan(10, 2, 1, distribution=[1]), "distribution has 1 numbers, and the domain 2 values"),
        (lambda: dp.plan(10, 2, 1, distribution=[0, 0]), "nothing but zeros"),
        (lambda: dp.plan(10, 2, 1, distribution=[1, -1]), "a negative number"),
        (lambda: dp.plan(10, 2, 1, distribution=7), "is no list of numbers"),
        (lambda: dp.plan(10, 2, 1, distribution="zip"), "Did you mean 'zipf'?"),
        (lambda: dp.rows_needed(9, 1, method="rooo"), "Did you mean 'roo'?"),
        (lambda: dp.rows_needed(2**63 - 1, "1e-9", method="roo"), "No table is large enough"),
        (lambda: dp.eps_needed(1, 10**6, error="1e-40"), "No eps up to 50 is enough"),
        (lambda: dp.eps_needed(100, 9, method="subrr"), "no proven guarantee"),
    ],
)
def test_what_cannot_be_planned_says_why(call, says):
    with pytest.raises(ArgumentError) as refused:
        call()
    assert says in str(refused.value)


def test_rounded_numbers_are_the_ones_of_three_digits():
    numbers = [rounded(index) for index in range(3000)]
    assert numbers == sorted(set(numbers))
    assert all(index_of(number) == index for index, number in enumerate(numbers))
    assert all(len(str(number).rstrip("0")) <= 3 for number in numbers)


@pytest.mark.parametrize("power", [0.3, 1, 3])
@pytest.mark.parametrize("first", [1, 2, 77, 4000, 9999, 10_000])
def test_the_search_finds_the_first_index_whatever_the_slope(power, first):
    tried = []

    def error(index):
        tried.append(index)
        return None if index < first / 5 else Fraction((first / index) ** power).limit_denominator(10**9)

    assert Search(error, math.log, Fraction(1)).first(1, 10_000) == first
    assert len(tried) < 40
    assert Search(lambda _: Fraction(1, 2), math.log, Fraction(1, 3)).first(1, 10) is None


def test_searches_try_few_tables(monkeypatch):
    """Each try of ss-roo builds a table of up to a second."""
    tries = []
    original = needs.worst_error
    monkeypatch.setattr(needs, "worst_error", lambda *given: tries.append(given) or original(*given))
    needs.most_samples("ss-roo", dp.Epsilon.parse(2), 9, Relation.ANY, 10**5, Fraction("0.05"))
    assert len(tries) <= 12


def test_text_and_html_hold_what_the_table_does():
    planned = dp.plan(1000, 9, 1, 2, distribution="zipf")
    for shown in (str(planned), planned._repr_html_()):
        assert all(name in shown for name in MECHANISMS)
        assert "2 samples of 9 values at ε = 1, 1,000 rows (assumed), relation any" in shown
        assert "expected TV" in shown
        assert "subrr has no proven guarantee" in shown
    assert "expected TV" not in str(dp.plan(1000, 9, 1))


@pytest.mark.parametrize("distribution", [None, "zipf"])
def test_the_picture_has_every_method_and_marks_the_plan(tmp_path, distribution):
    planned = dp.plan(1000, 9, 1, 4, distribution=distribution)
    picture = planned.plot()
    names = ", ".join(text.get_text() for text in picture.legends[0].get_texts())
    assert {name.strip() for name in names.split(",")} == set(MECHANISMS) - {"subrr"}
    column = "worst_tv" if distribution is None else "expected_tv"
    for axes, at in zip(picture.axes, (1, 4), strict=True):
        (ring,) = (line for line in axes.lines if len(line.get_xdata()) == 1)
        assert ring.get_xdata()[0] == at
        assert ring.get_ydata()[0] == pytest.approx(planned.table.loc[planned.chosen, column])
        assert axes.get_xlabel()
    assert picture.axes[0].get_ylabel()
    pictures.save(picture, tmp_path / "plan.png")
    assert (tmp_path / "plan.png").read_bytes()[1:4] == b"PNG"
    for path, says in (("plan.xyz", "no known ending"), ("none/plan.png", "cannot be written")):
        with pytest.raises(ArgumentError, match=says):
            pictures.save(picture, tmp_path / path)
    assert [path.name for path in tmp_path.iterdir()] == ["plan.png"]


def run(*arguments):
    return CliRunner().invoke(cli.app, ["plan", *arguments], catch_exceptions=False)


def test_the_command_prints_the_plan_its_json_and_its_picture(tmp_path):
    options = ["--n", "1000", "--k", "3", "--eps", "0.5", "--distribution", "[5, 3, 2]"]
    assert run(*options).output == f"{dp.plan(1000, 3, '0.5', distribution=[5, 3, 2])}\n"
    document = json.loads(run(*options, "--json", "--plot", str(tmp_path / "p.svg")).output)
    assert (document["n"], document["k"], document["epsilon"]) == (1000, 3, "0.5")
    assert {line["method"] for line in document["methods"]} == set(MECHANISMS)
    assert (tmp_path / "p.svg").exists()
    with pytest.raises(SparkDPError, match="no known shape"):
        run(*options[:-1], "[5, 3")
