"""The audit: it holds for what is right, and each of its checks finds what is wrong.

Would catch: neighbors that are left out, inequalities that are not looked at, a ratio that is not the
largest, a test that accepts draws of another distribution, a report of what was not checked.
"""

import itertools
import json
import math
import sys
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, ncx2
from typer.testing import CliRunner

from spark_dp import cli, mechanism
from spark_dp.audit import audit, cells, chi_square, exponential, inequalities, sampler, size, words
from spark_dp.audit.joint import joint, unordered
from spark_dp.audit.report import audit_of
from spark_dp.audit.size import Size
from spark_dp.errors import ArgumentError, RelationError
from spark_dp.exact import draws
from spark_dp.exact.source import SystemSource
from spark_dp.mechanisms import envelope, schedules, weights
from spark_dp.mechanisms.dirichlet import Dirichlet
from spark_dp.mechanisms.ds_roo import DsRoo
from spark_dp.mechanisms.perturbed_histogram import PerturbedHistogram
from spark_dp.mechanisms.registry import MECHANISMS
from spark_dp.mechanisms.roo import Roo
from spark_dp.mechanisms.ss_roo import SsRoo
from spark_dp.mechanisms.weights import Scheme, Smoothing, WeightsMechanism
from spark_dp.privacy import Epsilon, Relation

ALL = [(name, relation.value) for name, cls in MECHANISMS.items() for relation in sorted(cls.relations)]
TABLES = [(name, relation) for name, relation in ALL if name in ("ds-roo", "ss-roo")]
ONE = Epsilon.parse(1)


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    """Enough for what is tested here, in a tenth of the time."""
    monkeypatch.setattr(size, "_MOST_STEPS", 60_000)
    monkeypatch.setattr(sampler, "_SINGLE", 4_000)
    monkeypatch.setattr(sampler, "_IN_A_ROW", 4_000)
    monkeypatch.setattr(sampler, "_NOISES", 10_000)


def neighbors_by_distance(k, n, relation):
    """How many histograms there are, and how many pairs of neighbors, by how far apart any two are."""
    every = [counts for counts in itertools.product(range(n + 2), repeat=k) if sum(counts) <= n + 1]
    listed = [counts for counts in every if sum(counts) == n or (sum(counts) < n and relation != "replace")]
    pairs = set()
    for counts, other in itertools.product(listed, every):
        distance = sum(abs(a - b) for a, b in zip(counts, other, strict=True))
        replaced = sum(counts) == sum(other) and distance == 2
        if (replaced and relation != "add-remove") or (distance == 1 and relation != "replace"):
            pairs.add(frozenset((counts, other)))
    return len(listed), len(pairs)


@pytest.mark.parametrize(("method", "relation"), ALL)
@pytest.mark.parametrize("num_samples", [1, 3])
def test_every_method_holds_and_tells_what_was_looked_at(method, relation, num_samples):
    found = audit(method, "0.7", 3, n=5, relation=relation, num_samples=num_samples)
    looked_at = found.enumeration
    assert found.holds
    assert found.inequalities.number > 0
    assert looked_at.size == Size(3, 5, num_samples if method in ("ss-roo", "dirichlet", "subrr") else 1)
    assert looked_at.draws == num_samples
    assert (looked_at.histograms, looked_at.pairs) == neighbors_by_distance(3, 5, relation)
    assert 0.5 < looked_at.share < 1 + 1e-9
    assert found.sampler.number in (4_000, 10_000)
    assert found.sampler.degrees >= 2
    assert found.record()["guarantee"] == found.mechanism.guarantee.in_words()


@pytest.mark.parametrize("num_samples", [1, 2, 3])
@pytest.mark.parametrize("method", ["roo", "ds-roo", "subrr", "dirichlet", "perturbed-histogram"])
def test_all_of_epsilon_is_found_where_the_guarantee_is_tight(method, num_samples):
    found = audit(method, "0.7", 3, n=5, relation="replace", num_samples=num_samples).enumeration
    assert found.share == pytest.approx(1, abs=1e-9)
    assert found.ratio == pytest.approx(math.exp(0.7), rel=1e-9)


@pytest.mark.parametrize(("k", "n"), [(1, 9), (2, 0), (2, 7), (3, 2), (3, 50), (9, 1000)])
@pytest.mark.parametrize(("method", "relation"), TABLES)
def test_the_number_of_inequalities_is_that_of_the_comparisons(method, relation, k, n, monkeypatch):
    tested = mechanism(method, "0.1", k, relation=relation, n=n if relation == "replace" else None)
    tested.prepare()
    found = []
    for module in (schedules, envelope, inequalities):
        monkeypatch.setattr(module, "_require", lambda holds, *_: found.append(holds))
    assert inequalities.check_inequalities(tested).number == len(found)
    assert all(found)


class HalfSmoothed(Roo):
    """Half the pseudo-count."""

    @property
    def pseudo_count(self):
        return super().pseudo_count // 2


class HairSmoothed(Dirichlet):
    """A pseudo-count that is too small by less than 10⁻¹⁹ of a record."""

    @property
    def pseudo_count(self):
        return super().pseudo_count - 1


class NotSmoothed(Roo):
    """The rows as they are."""

    pseudo_count = 0


class MinimumOffByOne(DsRoo):
    """The right schedule, read one entry too far."""

    def floor(self, minimum):
        return super().floor(minimum + 1)


class HalfTheNoise(PerturbedHistogram):
    """λ/2."""

    @property
    def noise_scale(self):
        return super().noise_scale / 2


class LessNoiseThanSaid(PerturbedHistogram):
    """Noise of another scale than the one that is stated."""

    def _noisy_counts(self, counts, source):
        exact = [0] * self.k
        for rank, count in zip(counts.ranks.tolist(), counts.counts.tolist(), strict=True):
            exact[rank] = count
        return source.with_laplace(exact, 0.8 * self.noise_scale)


class SeesCounts(PerturbedHistogram):
    """Draws the value with the most records a little too often."""

    def _noisy_weights(self, counts, source):
        drawn = super()._noisy_weights(counts, source)
        drawn[int(counts.ranks[counts.counts.argmax()])] += 1
        return drawn


class OtherWeights(Roo):
    """Draws of the rows as they are, and probabilities of others."""

    def _ranks(self, counts, source):
        return NotSmoothed(self.epsilon, self.k, self.relation, self.num_samples)._ranks(counts, source)


# Of each, whether the inequalities, the enumeration and the draws hold.
@pytest.mark.parametrize(
    ("broken", "relation", "num_samples", "n", "expected"),
    [
        (Roo, "any", 1, 12, (True, True, True)),
        (HalfSmoothed, "any", 1, 12, (False, False, True)),
        (HalfSmoothed, "add-remove", 2, 12, (False, False, True)),
        (HairSmoothed, "replace", 1, 12, (False, False, True)),
        (HairSmoothed, "any", 3, 12, (False, False, True)),
        (MinimumOffByOne, "any", 1, 12, (True, False, True)),
        (MinimumOffByOne, "replace", 1, 12, (True, False, True)),
        (HalfTheNoise, "any", 1, 12, (False, False, True)),
        (LessNoiseThanSaid, "replace", 1, 12, (False, True, False)),
        (SeesCounts, "any", 5, 12, (False, True, True)),
        (OtherWeights, "any", 1, 3, (True, True, False)),
    ],
)
def test_what_is_broken_is_caught_by_the_check_that_can_see_it(broken, relation, num_samples, n, expected):
    # At ε = log 1.5 the schedule of ds-roo has entries enough to take the wrong one.
    epsilon = Epsilon.parse("0.4054651081")
    found = audit_of(broken(epsilon, 3, Relation.parse(relation), num_samples, n if relation == "replace" else None), n)
    assert (found.inequalities.holds, found.enumeration.holds, found.sampler.holds) == expected
    assert found.holds == all(expected)
    assert words.conclusion(found).endswith("holds." if found.holds else "not hold.")


def test_a_value_that_only_one_neighbor_can_give_is_no_finite_loss():
    found = audit_of(NotSmoothed(ONE, 3, Relation.REPLACE, n=4), 4)
    assert not found.enumeration.holds
    assert math.isinf(found.enumeration.ratio)
    assert json.loads(json.dumps(found.record(), allow_nan=False))["enumeration"]["share_of_epsilon"] is None
    assert "No ε bounds that" in {name: text for name, _, text in words.findings(found)}["Enumeration"]


@pytest.mark.parametrize("relation", ["any", "replace", "add-remove"])
@pytest.mark.parametrize("place", [0, 1, 5, -1])
def test_a_schedule_with_one_entry_that_is_a_hair_too_small_is_caught(relation, place):
    right = DsRoo(Epsilon.parse("0.1"), 3, Relation.parse(relation), n=100 if relation == "replace" else None)
    entries = list(right.schedule)
    entries[place] -= 1
    wrong = type("Wrong", (DsRoo,), {"schedule": tuple(entries)})
    found = inequalities.check_inequalities(wrong(right.epsilon, 3, right.relation, n=right.n))
    assert not found.holds
    assert found.in_words().startswith("Broken for k = 3 and ")
    assert f"at m = {place % len(entries)}" in found.broken or f"at m = {place % len(entries) - 1}" in found.broken


@pytest.mark.parametrize("relation", ["any", "replace", "add-remove"])
@pytest.mark.parametrize("num_samples", [1, 3])
def test_an_envelope_that_is_lowered_by_a_hair_is_caught(relation, num_samples):
    # Two values: what the others weigh, which the table may keep more than it has to, is nothing.
    n = 100 if relation == "replace" else None
    right = SsRoo(Epsilon.parse("0.3"), 2, Relation.parse(relation), num_samples, n)
    for place in range(len(right.envelope.weights)):
        lowered = list(right.envelope.weights)
        lowered[place] -= lowered[place] // 10**9
        table = envelope.Envelope(right.envelope.knots, tuple(lowered), right.envelope.scale)
        wrong = type("Wrong", (SsRoo,), {"envelope": table})(right.epsilon, 2, right.relation, num_samples, n)
        assert not inequalities.check_inequalities(wrong).holds


@pytest.mark.parametrize("method", ["roo", "ds-roo", "ss-roo"])
def test_a_bound_of_e_to_the_epsilon_that_is_rounded_up_is_caught(method, monkeypatch):
    right = exponential.exp_lower
    monkeypatch.setattr(exponential, "exp_lower", lambda x, bits: right(x, bits) + Fraction(2, 2**bits))
    assert "is above it" in inequalities.check_inequalities(mechanism(method, 1, 3)).broken


@pytest.mark.parametrize(
    ("method", "num_samples", "module", "name", "wrong"),
    [
        ("dirichlet", 3, weights, "_DRAW", {Scheme.POLYA_URN: draws.independent}),
        ("roo", 3, weights, "_DRAW", {Scheme.INDEPENDENT: draws.polya_urn}),
        ("roo", 50, weights, "_DRAW", {Scheme.INDEPENDENT: lambda *_: [0] * 50}),
        ("perturbed-histogram", 1, SystemSource, "with_laplace", None),
    ],
)
def test_a_sampler_that_draws_otherwise_is_caught_by_its_draws_alone(
    method, num_samples, module, name, wrong, monkeypatch
):
    if wrong is None:
        right = SystemSource.with_laplace
        wrong = lambda self, values, scale: right(self, values, 0.85 * scale)  # noqa: E731 — of one place
    monkeypatch.setattr(module, name, wrong)
    found = audit(method, 2, 2, n=4, num_samples=num_samples)
    assert (found.inequalities.holds, found.enumeration.holds, found.sampler.holds) == (True, True, False)
    assert found.sampler.statistic > found.sampler.threshold


class Foreign(WeightsMechanism):
    """A method of somebody else's, without a proof that is known here: ROO's weights."""

    name = "foreign"

    def smoothing(self, counts):
        return Smoothing(Roo(self.epsilon, self.k).pseudo_count)

    def error_bound(self, n):
        return Fraction(1)


def test_a_method_without_a_known_proof_is_said_to_have_none():
    found = audit_of(Foreign(ONE, 9), 40)
    told = {name: text for name, _, text in words.findings(found)}
    assert found.holds
    assert told["Inequalities"] == "None: those of the proof of foreign are not known here."
    assert "All tables of k = 9 and n = 40 are too many. Nothing covers the rest." in told["Enumeration"]
    assert words.conclusion(found) == "Nothing speaks against the guarantee."


@given(
    st.sampled_from(ALL), st.integers(1, 40), st.integers(0, 2000), st.integers(1, 200), st.sampled_from(["0.1", "3"])
)
def test_what_is_enumerated_is_part_of_what_was_asked(each, k, n, num_samples, eps):
    method, relation = each
    if method == "subrr":
        n += num_samples
    tested = mechanism(method, eps, k, relation=relation, num_samples=num_samples)
    found = size.fitting(tested, n)
    assert 1 <= found.k <= k
    assert 0 <= found.n <= n
    assert 1 <= found.draws <= num_samples
    assert found.k >= min(k, 2)
    assert found.n >= min(n, 12)
    assert found.n >= found.draws or method != "subrr"
    assert size._fits(tested, found)


@pytest.mark.parametrize("scheme", list(Scheme))
def test_the_joint_distribution_is_the_same_in_every_order_and_for_fewer_draws(scheme):
    tested = type("Other", (Dirichlet,), {"scheme": scheme})(ONE, 2, num_samples=4)
    every = joint(tested, [1, 5])
    assert sum(every.values()) == 1
    assert all(p == every[tuple(sorted(sequence))] for sequence, p in every.items())
    for sequence, p in joint(tested, [1, 5], itertools.product(range(2), repeat=2)).items():
        assert p == sum(every[(*sequence, *rest)] for rest in itertools.product(range(2), repeat=2))
    assert set(joint(tested, [1, 5], unordered(2, 4))) == {tuple(sorted(sequence)) for sequence in every}


def test_different_records_are_those_of_every_order_in_which_they_can_be_taken():
    counts, k, taken = [2, 1, 1], 3, 3
    tested = mechanism("subrr", 1, k, relation="replace", num_samples=taken)
    records = [value for value, count in enumerate(counts) for _ in range(count)]
    total = sum(counts) + Fraction(k * tested.pseudo_count, tested.scale)
    keep = Fraction(len(records)) / total
    expected = Counter()
    orders = list(itertools.permutations(records, taken))
    for order in orders:
        for sequence in itertools.product(range(k), repeat=taken):
            each = ((1 - keep) / k + keep * (drawn == held) for drawn, held in zip(sequence, order, strict=True))
            expected[sequence] += math.prod(each, start=Fraction(1, len(orders)))
    assert joint(tested, counts) == expected


@pytest.mark.parametrize("degrees", [1, 2, 7, 26, 300])
def test_the_chi_square_distribution_is_that_of_another_library(degrees):
    limit = chi_square.threshold(1e-6, degrees)
    assert limit == pytest.approx(chi2.isf(1e-6, degrees), rel=1e-9)
    assert chi_square.survival(limit * 0.7, degrees) == pytest.approx(chi2.sf(limit * 0.7, degrees), rel=1e-9)
    assert ncx2.cdf(limit, degrees, chi_square.noncentrality(1e-6, 1e-6, degrees)) == pytest.approx(1e-6, rel=1e-6)


@pytest.mark.parametrize("scale", [0.04, 0.7, 2.0, 333.3])
def test_cells_of_noise_have_the_probabilities_of_what_falls_into_them(scale):
    r = math.exp(-1 / scale)
    one = {x: (1 - r) / (1 + r) * r ** abs(x) for x in range(-int(40 * scale) - 2, int(40 * scale) + 3)}
    # Noise of just these frequencies, as whole numbers: the test's own tail of rare noise is left out.
    found = cells.counted_noise([x for x, p in one.items() for _ in range(round(50_000 * p))], scale)
    number = sum(cell.observed for cell in found)
    assert sum(cell.probability for cell in found) == pytest.approx(1, abs=1e-12)
    for cell in found:
        assert cell.observed / number == pytest.approx(cell.probability, abs=0.002 if scale < 100 else 0.02)


def test_the_deviation_that_is_said_to_be_noticed_is_noticed():
    """As few cells, as many draws as in an audit: moved by that total variation in the way that shows least."""
    pmf = [0.5, 0.3, 0.15, 0.05]
    right = sampler.SamplerCheck("", cells.counted(dict(enumerate(pmf)), {0: 20_000, 1: 12_000, 2: 6_000, 3: 2_000}))
    moved = [0.5 + right.noticed, 0.3 - right.noticed, 0.15, 0.05]
    shift = sum((q - p) ** 2 / p for p, q in zip(pmf, moved, strict=True))
    assert right.statistic == 0
    assert ncx2.cdf(right.threshold, right.degrees, right.number * shift) <= 1e-6


def test_progress_is_told_after_every_histogram():
    told = []
    found = audit("roo", k=2, n=6, progress=lambda done, total: told.append((done, total)))
    assert told == [(done, found.enumeration.histograms) for done in range(1, 29)]


@pytest.mark.parametrize("n", [-1, 1.5, True, "12", 2**62 + 1])
def test_a_number_of_records_that_is_none_is_refused(n):
    with pytest.raises(ArgumentError, match="a whole number from 0 to"):
        audit("roo", n=n)


def run(*arguments):
    return CliRunner().invoke(cli.app, ["audit", *arguments], catch_exceptions=False, env={"COLUMNS": "120"})


def test_the_command_prints_a_short_report():
    found = run("--method", "ds-roo", "--eps", "0.1", "--k", "9", "--n", "200", "--relation", "replace")
    text = " ".join(found.output.split())
    assert found.exit_code == 0
    assert len(found.output.splitlines()) <= 25
    assert text.startswith("Audit of ds-roo, ε = 0.1, k = 9, n = 200, relation replace, 1 draw (spark_dp ")
    assert "for k = 9 and n = 200: those of a schedule of" in text
    assert "over 3 values" in text
    assert "100 % of ε" in text
    assert "All tables of k = 9 and n = 200 are too many. The inequalities cover the rest." in text
    assert "at α = 10⁻⁶ with 8 degrees of freedom" in text
    assert "The guarantee holds. 0.1-differential privacy: replacing any one row" in text


def test_draws_that_are_too_many_to_enumerate_are_said_to_be():
    text = " ".join(run("--method", "dirichlet", "--num-samples", "500", "--k", "2", "--n", "6").output.split())
    assert "500 draws are too many: these are of a release of" in text


def test_the_document_is_alone_on_stdout():
    found = json.loads(run("--method", "perturbed-histogram", "--k", "3", "--n", "4", "--json").stdout)
    assert (found["method"], found["epsilon"], found["k"], found["n"]) == ("perturbed-histogram", "1", 3, 4)
    assert found["holds"] is True
    assert found["enumeration"]["counts"] == [0, 0, 1]
    assert found["enumeration"]["neighbor"] == [1, 0, 0]
    assert found["enumeration"]["share_of_epsilon"] == 1
    assert found["sampler"]["alpha"] == 1e-6


@pytest.mark.parametrize("shown", [[], ["--json"]])
def test_a_broken_guarantee_is_printed_and_ends_with_status_1(shown, monkeypatch):
    monkeypatch.setitem(MECHANISMS, "roo", HalfSmoothed)
    found = run("--method", "roo", "--k", "2", "--n", "3", *shown)
    assert found.exit_code == 1
    if shown:
        assert json.loads(found.stdout)["enumeration"]["counts"] == [0, 1]
        return
    text = " ".join(found.output.split())
    assert "the pseudo-count 0.290988 is below 1/(E − 1)" in text
    assert "FAILS 10 histograms of up to 3 records over 2 values, 26 pairs of neighbors. Too large a ratio" in text
    assert "149 % of ε, at (0, 1) and (1, 0)" in text
    assert "The guarantee does not hold." in text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--method", "rooo"], "Did you mean 'roo'?"),
        (["--eps", "0"], "must be positive"),
        (["--n", "-1"], "a whole number"),
        (["--method", "subrr", "--n", "2", "--relation", "replace", "--num-samples", "3"], "more than the 2"),
        (["--plot", "none/audit.png"], "no such folder"),
        (["--plot", "audit.docx"], "Use one of"),
    ],
)
def test_what_cannot_be_audited_ends_with_status_2(arguments, told, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["spark-dp", "audit", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_a_relation_without_a_proof_is_refused():
    with pytest.raises(RelationError, match="no proven guarantee"):
        audit("subrr")


@pytest.mark.parametrize("method", ["ss-roo", "laplace-projection"])
def test_the_picture_is_written_whole_or_not_at_all(method, tmp_path, monkeypatch):
    wanted = tmp_path / "audit.png"
    arguments = ("--method", method, "--k", "2", "--n", "5", "--plot", str(wanted))
    with monkeypatch.context() as broken:
        broken.setattr("matplotlib.figure.Figure.savefig", no_space)
        with pytest.raises(ArgumentError, match="cannot be written"):
            run(*arguments)
    assert not list(tmp_path.iterdir())
    assert run(*arguments).exit_code == 0
    assert list(tmp_path.iterdir()) == [wanted]
    assert wanted.read_bytes().startswith(b"\x89PNG")


def no_space(_, path, **__):
    path.write_bytes(b"half")
    raise OSError(28, "No space left on device")


def test_a_picture_without_matplotlib_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ArgumentError, match=r"pip install 'spark-dp\[plot\]'"):
        run("--plot", str(tmp_path / "audit.png"))
