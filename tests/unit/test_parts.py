"""Draws from counts that lie in many places have the probabilities of draws from all of them at once.

Would catch: a part picked by its rows instead of its weight, a candidate used twice, one record revealed
twice, a floor that only unseen values get, rows outside the domain that change their value between draws.
"""

import itertools
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from tree import every_outcome

from spark_dp import Counts, Relation, mechanism
from spark_dp.errors import MethodError
from spark_dp.exact import draws
from spark_dp.exact.categorical import Categorical
from spark_dp.exact.parts import Apart, Part, Parts, summed_up
from spark_dp.exact.source import SYSTEM
from spark_dp.mechanisms.registry import MECHANISMS
from spark_dp.mechanisms.weights import Scheme, WeightsMechanism

#: Weights above the floor, by the count; the second one is not in proportion to it.
PROPORTIONAL, CONVEX = (0, 1, 2), (0, 1, 3)
#: Which value lies in which part.
SPLITS = [((0, 1, 2),), ((0,), (1, 2)), ((2,), (), (0, 1)), ((0,), (1,), (2,))]
WEIGHTED = {name: cls for name, cls in MECHANISMS.items() if issubclass(cls, WeightsMechanism)}


def pairs(counts, values):
    seen = np.array([value for value in values if counts[value]], np.int64)
    return seen, np.array(counts, np.int64)[seen]


def apart(counts, outside, split, above, number, source, *, distinct=False):
    """The parts as the executors make them; the rows outside lie in the last one."""
    made = []
    for place, values in enumerate(split):
        rest = outside if place == len(split) - 1 else 0
        made.append(summed_up(*pairs(counts, values), rest, above, number, source, distinct=distinct))
    return Parts(len(counts), tuple(made))


def together(scheme, counts, table, floor, number):
    """The probability of every sequence if the counts are in one place, where that is tested."""
    ranks, seen = pairs(counts, range(len(counts)))
    scale = table[1]
    extra = [table[count] + floor - count * scale for count in seen.tolist()]
    if all(added == floor for added in extra):
        weights = Categorical(len(counts), ranks, seen, scale, None, floor)
    else:
        # Categorical asks for what is added to the records; here it is the other way round.
        weights = Categorical(len(counts), ranks, np.zeros_like(seen), 1, [table[c] + floor for c in seen], floor)
        weights.scale = scale
    return every_outcome(lambda source: tuple(scheme(weights, number, source)))


@pytest.mark.parametrize("split", SPLITS, ids=str)
@pytest.mark.parametrize("counts", [(1, 1, 2), (0, 1, 2), (0, 0, 0)])
@pytest.mark.parametrize("table", [PROPORTIONAL, CONVEX], ids=["proportional", "convex"])
@pytest.mark.parametrize("scheme", [draws.independent, draws.polya_urn])
def test_two_draws_have_the_probabilities_of_one_place(scheme, table, counts, split):
    def run(source):
        parts = apart(counts, 0, split, table.__getitem__, 2, source)
        return tuple(scheme(Apart(parts, table[1], 1, source), 2, source))

    assert every_outcome(run) == together(scheme, counts, table, 1, 2)


@pytest.mark.parametrize("split", SPLITS, ids=str)
@pytest.mark.parametrize("number", [1, 2])
def test_different_records_have_the_probabilities_of_one_place(split, number):
    counts = (1, 0, 2)

    def run(source):
        parts = apart(counts, 0, split, lambda count: count, number, source, distinct=True)
        return tuple(draws.distinct_records(Apart(parts, 1, 1, source), number, source))

    assert every_outcome(run) == together(draws.distinct_records, counts, (0, 1, 2), 1, number)


@pytest.mark.parametrize("scheme", [draws.independent, draws.polya_urn, draws.distinct_records])
def test_rows_outside_the_domain_are_each_one_uniform_value_for_all_draws(scheme):
    counts, outside = (1, 0), 2

    def run(source):
        distinct = scheme is draws.distinct_records
        parts = apart(counts, outside, ((0,), (1,)), lambda count: count, 2, source, distinct=distinct)
        return tuple(scheme(Apart(parts, 1, 1, source), 2, source))

    expected = defaultdict(Fraction)
    for values in itertools.product(range(2), repeat=outside):
        completed = [count + values.count(value) for value, count in enumerate(counts)]
        for sequence, p in together(scheme, completed, (0, 1, 2, 3), 1, 2).items():
            expected[sequence] += p / 2**outside
    assert every_outcome(run) == dict(expected)


@given(st.lists(st.integers(0, 5), min_size=2, max_size=6), st.data())
def test_the_sums_are_those_of_all_counts(dense, data):
    places = data.draw(st.lists(st.integers(0, 2), min_size=len(dense), max_size=len(dense)))
    split = [[value for value, place in enumerate(places) if place == part] for part in range(3)]
    parts = apart(dense, 4, split, lambda count: 3 * count, 2, SYSTEM)
    whole = Counts.dense(dense)
    assert (parts.records, parts.n, parts.outside, parts.minimum) == (whole.n, whole.n + 4, 4, whole.minimum)
    assert sum(part.above for part in parts.parts) == 3 * whole.n


@pytest.mark.parametrize(
    ("name", "relation"),
    [(name, relation) for name, cls in WEIGHTED.items() for relation in sorted(cls.relations)],
)
@pytest.mark.parametrize("number", [1, 3])
def test_floor_and_what_is_above_are_the_weights(name, relation, number):
    n = 40 if relation is Relation.REPLACE else None
    tested = mechanism(name, "0.3", 3, relation=relation, num_samples=number, n=n)
    for dense in ([0, 3, 37], [12, 13, 15], [40, 0, 0], [1, 1, 38]):
        counts = Counts.dense(dense)
        smoothing = tested.smoothing(counts)
        added = smoothing.seen or [smoothing.unseen] * len(counts.ranks)
        expected = [count * tested.scale + extra for count, extra in zip(counts.counts.tolist(), added, strict=True)]
        floor = tested.floor(counts.minimum)
        assert floor == smoothing.unseen
        assert [floor + tested.above_floor(count) for count in counts.counts.tolist()] == expected


@pytest.mark.parametrize("name", sorted(WEIGHTED))
def test_draws_from_parts_follow_the_pmf(name):
    relation = min(WEIGHTED[name].relations)
    if relation is Relation.REPLACE and name != "subrr":
        relation = Relation.ANY
    counts = [0, 3, 7, 0]
    tested = mechanism(name, "0.5", 4, relation=relation)
    distinct = tested.scheme is Scheme.DISTINCT_RECORDS
    found = np.zeros(4)
    for _ in range(4000):
        parts = apart(counts, 0, ((0, 1), (2, 3)), tested.above_floor, 1, SYSTEM, distinct=distinct)
        found[tested.draw(parts)[0]] += 1
    expected = 4000 * np.array([float(p) for p in tested.pmf(counts)])
    assert ((found - expected) ** 2 / expected).sum() < chi2.isf(1e-6, 3)
    wrong = expected[[0, 2, 1, 3]]
    assert ((found - wrong) ** 2 / wrong).sum() > chi2.isf(1e-6, 3)


@pytest.mark.parametrize("name", ["ds-roo", "ss-roo"])
def test_what_a_replaced_row_could_change_is_refused(name):
    parts = Parts(2, (Part(3, 3, 2, 1, 1, [0]),))
    with pytest.raises(MethodError, match=r"under relation='replace' needs all counts.*dirichlet"):
        mechanism(name, 1, 2, relation="replace").draw(parts)


def test_a_method_that_needs_noise_for_every_value_is_refused():
    with pytest.raises(MethodError, match=r"all counts in one place.*dirichlet"):
        mechanism("perturbed-histogram", 1, 2).draw(Parts(2, ()))


def test_parts_tell_nothing_when_they_are_shown():
    assert "12345" not in repr(Parts(2, (Part(12345, 12345, 2, 12345, 12345, [1]),)))
