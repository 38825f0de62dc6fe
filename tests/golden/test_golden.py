"""Reference values, computed independently of this code, to 12 significant digits."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from spark_dp import mechanism

VECTORS = json.loads((Path(__file__).parent / "roo.json").read_text())


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


@pytest.mark.parametrize("case", VECTORS["pmf"], ids=lambda case: f"{case['method']}-{case['eps']}-{case['counts']}")
def test_pmf(case):
    name, _, relation = case["method"].partition("/")
    tested = mechanism(name, case["eps"], len(case["counts"]), relation=relation or "any")
    assert all(agree(p, expected) for p, expected in zip(tested.pmf(case["counts"]), case["pmf"], strict=True))


def entry(tested, m):
    return Fraction(tested.schedule[m] if m < len(tested.schedule) else 0, tested.scale)
