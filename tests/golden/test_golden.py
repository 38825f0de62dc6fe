"""Reference values, computed independently of this code, to 12 significant digits."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from spark_dp import max_draws, mechanism
from spark_dp.errors import ArgumentError

VECTORS = json.loads((Path(__file__).parent / "values.json").read_text())


def agree(value, expected):
    expected = Fraction(expected)
    # The last entries of a schedule are small differences of numbers of size t.
    return abs(value - expected) <= max(abs(expected) / 10**12, Fraction(5, 10**15))


@pytest.mark.parametrize("case", VECTORS["roo"], ids=str)
def test_roo(case):
    tested = mechanism("roo", case["eps"], case["k"], relation="replace", n=case["n"])
    obscured = tested.k * Fraction(tested.pseudo_count, tested.scale)
    assert agree(obscured / (case["n"] + obscured), case["q"])
    assert agree(tested.error_bound(case["n"]), case["error_bound"])


@pytest.mark.parametrize("case", VECTORS["roo_sample_complexity"], ids=str)
def test_roo_sample_complexity(case):
    assert agree(mechanism("roo", case["eps"], case["k"]).sample_complexity(case["alpha"]), case["n"])


@pytest.mark.parametrize("relation", ["any", "add-remove"])
def test_ds_roo_schedule(relation):
    for case in VECTORS["ds-roo" if relation == "any" else "ds-roo/add-remove"]:
        tested = mechanism("ds-roo", case["eps"], 4, relation=relation)
        for m, expected in enumerate(case["pseudo_count"]):
            assert agree(entry(tested, m), expected), (case["eps"], m)


@pytest.mark.parametrize("case", VECTORS["ds-roo/replace"], ids=lambda case: f"{case['eps']}-{case['n']}-{case['k']}")
def test_ds_roo_schedule_under_replace(case):
    tested = mechanism("ds-roo", case["eps"], case["k"], relation="replace", n=case["n"])
    for m, expected in enumerate(case["q"]):
        obscured = tested.k * entry(tested, m)
        assert agree(obscured / (case["n"] + obscured), expected), m


@pytest.mark.parametrize("relation", ["any", "replace", "add-remove"])
def test_ss_roo_weights(relation):
    for case in VECTORS["ss-roo" if relation == "any" else f"ss-roo/{relation}"]:
        # Under add-remove nothing depends on k.
        tested = mechanism(
            "ss-roo", case["eps"], case.get("k", 7), relation=relation, num_samples=case["draws"], n=case.get("n")
        )
        assert tested.exact_from == case["exact_from"]
        for count, expected in enumerate(case["weight"]):
            assert agree(Fraction(tested.envelope(count), tested.scale), expected), (case, count)


@pytest.mark.parametrize("case", VECTORS["subrr/replace"], ids=str)
def test_subrr_rate(case):
    tested = mechanism("subrr", case["eps"], case["k"], relation="replace", num_samples=case["draws"], n=case["n"])
    obscured = tested.k * Fraction(tested.pseudo_count, tested.scale)
    assert agree(obscured / (case["n"] + obscured), case["q"])


@pytest.mark.parametrize("case", VECTORS["dirichlet"], ids=str)
def test_dirichlet_concentration(case):
    tested = mechanism("dirichlet", case["eps"], 3, num_samples=case["draws"])
    assert agree(Fraction(tested.pseudo_count, tested.scale), case["concentration"])


@pytest.mark.parametrize("case", VECTORS["smoothed-histogram"], ids=str)
def test_smoothed_histogram_draws(case):
    """The published table, whose entries are those of T log(1 + (1 − δ) k / (n δ)) = ε."""
    n, k, delta = case["n"], case["k"], case["delta"]
    assert max_draws(delta, n, k, case["eps"]) == int(Fraction(case["max_draws"]))
    # ε a millionth of a draw larger and smaller than what the next whole number of draws takes.
    whole = int(Fraction(case["max_draws"])) + 1
    enough = Fraction(case["eps"]) * whole / Fraction(case["max_draws"])
    assert max_draws(delta, n, k, float(enough * (1 + Fraction(1, 10**12)))) == whole
    assert max_draws(delta, n, k, float(enough * (1 - Fraction(1, 10**12)))) == whole - 1
    assert agree(Fraction(case["eps"]) * n * Fraction(delta) / k, case["approx"])


@pytest.mark.parametrize("delta", [0, "0", 0.0])
def test_no_uniform_share_reveals_the_data(delta):
    with pytest.raises(ArgumentError, match="delta = 0 reveals the data"):
        max_draws(delta, n=1000, k=10, eps=1)


@pytest.mark.parametrize("case", VECTORS["pmf"], ids=lambda case: f"{case['method']}-{case['eps']}-{case['counts']}")
def test_pmf(case):
    name, _, relation = case["method"].partition("/")
    tested = mechanism(name, case["eps"], len(case["counts"]), relation=relation or "any")
    assert all(agree(p, expected) for p, expected in zip(tested.pmf(case["counts"]), case["pmf"], strict=True))


def entry(tested, m):
    return Fraction(tested.schedule[m] if m < len(tested.schedule) else 0, tested.scale)
