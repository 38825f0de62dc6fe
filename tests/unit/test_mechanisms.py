"""The mechanisms as objects: parameters that are refused, and what never shows."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spark_dp
from spark_dp import Counts, max_draws, mechanism
from spark_dp.errors import ArgumentError, MethodError, NumSamplesError
from spark_dp.mechanisms import schedules
from spark_dp.mechanisms.base import MAX_DRAWS, MAX_SYNTHETIC_DRAWS
from spark_dp.mechanisms.noise import NoiseMechanism
from spark_dp.mechanisms.registry import MECHANISMS
from spark_dp.mechanisms.weights import Smoothing


@pytest.mark.parametrize(("counts", "says"), [([1, 2], "one count for each value"), ([1, 2, -1], "a negative number")])
def test_counts_that_are_none_are_refused(counts, says):
    for call in ("pmf", "draw"):
        with pytest.raises(ArgumentError, match=says):
            getattr(mechanism("roo", 1, 3), call)(counts)


@pytest.mark.parametrize(
    ("name", "nearest"), [("ds_roo", "'ds-roo'"), ("ROO", "'roo'"), ("laplace", "Known"), (None, "Known")]
)
def test_an_unknown_method_is_refused_with_the_nearest_name(name, nearest):
    with pytest.raises(MethodError, match=nearest):
        mechanism(name, 1, 3)


@pytest.mark.parametrize("num_samples", [0, -1, MAX_SYNTHETIC_DRAWS + 1, 1.5, 2.0, True, "3", None])
@pytest.mark.parametrize("name", ["roo", "perturbed-histogram", "auto"])
def test_what_is_no_number_of_samples_is_refused(name, num_samples):
    with pytest.raises(NumSamplesError, match=r"num_samples = .*(outside 1 to 1,000,000,000|not a whole number)"):
        mechanism(name, 1, 3, num_samples=num_samples)


@pytest.mark.parametrize("name", MECHANISMS)
def test_only_what_draws_from_released_weights_draws_more_than_a_list_holds(name):
    relation = "replace" if name == "subrr" else "any"
    if issubclass(MECHANISMS[name], NoiseMechanism):
        many = mechanism(name, 1, 3, num_samples=MAX_SYNTHETIC_DRAWS)
        with pytest.raises(NumSamplesError, match=r"more than the 1,000,000 that draw\(\) lists.*released_weights"):
            many.draw([1, 2, 3])
        assert mechanism(name, 1, 3, num_samples=MAX_DRAWS).num_samples == MAX_DRAWS
        return
    says = (
        f"num_samples = 1000001 is more than the 1,000,000 that {name} can draw.*method='perturbed-histogram'.*'auto'"
    )
    with pytest.raises(NumSamplesError, match=says):
        mechanism(name, 1, 3, relation=relation, num_samples=MAX_DRAWS + 1)


def test_a_numpy_integer_is_a_number_of_samples():
    import numpy as np

    tested = mechanism("roo", 1, 3, num_samples=np.int64(4))
    assert tested == mechanism("roo", 1, 3, num_samples=4)
    assert type(tested.num_samples) is int


@pytest.mark.parametrize("k", [0, -1, 2**63, 1.5, True, None])
def test_what_is_no_domain_size_is_refused(k):
    with pytest.raises(ArgumentError, match="size of the domain"):
        mechanism("roo", 1, k)


def test_n_is_a_parameter_only_where_it_is_public():
    with pytest.raises(ArgumentError, match="n is private under relation='any'"):
        mechanism("roo", 1, 3, n=10)
    with pytest.raises(ArgumentError, match="number of records"):
        mechanism("roo", 1, 3, relation="replace", n=-1)
    with pytest.raises(ArgumentError, match="6 records given to a mechanism for n = 5"):
        mechanism("roo", 1, 3, relation="replace", n=5).pmf([1, 2, 3])


def test_counts_must_be_over_the_same_domain():
    with pytest.raises(ArgumentError, match="domain of 2 values"):
        mechanism("roo", 1, 3).draw([1, 2])


def test_a_schedule_too_long_to_build_is_refused_with_another_method():
    with pytest.raises(MethodError, match="method='roo'"):
        mechanism("ds-roo", "0.001", 3, num_samples=10_000)


def test_every_method_is_listed_with_one_line():
    listed = spark_dp.methods()
    assert list(listed) == ["auto", *MECHANISMS]
    for name, line in listed.items():
        assert line
        assert "\n" not in line
        assert len(f"{name}: {line}") <= 120
        assert mechanism(name, 1, 3, relation="replace")


def test_subrr_is_refused_for_more_draws_than_records():
    with pytest.raises(NumSamplesError, match=r"num_samples = 6 is more than the 5 there are.*'ss-roo' or 'dirichlet'"):
        mechanism("subrr", 1, 3, relation="replace", n=5, num_samples=6)
    with pytest.raises(NumSamplesError, match="more than the 5 there are"):
        mechanism("subrr", 1, 3, relation="replace", num_samples=6).draw([1, 4, 0])
    assert len(mechanism("subrr", 1, 3, relation="replace", num_samples=5).draw([1, 4, 0])) == 5


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"delta": 1}, "strictly between 0 and 1"),
        ({"delta": "-0.1"}, "strictly between 0 and 1"),
        ({"delta": "some"}, "not a number"),
        ({"delta": float("nan")}, "not a number"),
        ({"n": 0}, "n = 0"),
        ({"k": 2.5}, "k = 2.5"),
        ({"eps": 0}, "eps = 0"),
    ],
)
def test_what_no_number_of_draws_answers_is_refused(change, says):
    with pytest.raises(ArgumentError, match=says):
        max_draws(**{"delta": "0.1", "n": 1000, "k": 10, "eps": 1, **change})


def test_a_smoothed_histogram_at_its_own_rate_allows_its_own_draws():
    """delta → draws → ε → delta comes back to where it began."""
    tested = mechanism("smoothed-histogram", 1, 10, relation="replace", num_samples=43)
    delta = tested.error_bound(1000) / (1 - Fraction(1, 10))
    assert max_draws(str(float(delta) * (1 + 1e-9)), 1000, 10, 1) == 43
    assert max_draws(str(float(delta) * (1 - 1e-9)), 1000, 10, 1) == 42


def test_a_schedule_that_breaks_its_inequalities_is_a_bug_that_shows():
    tested = mechanism("ds-roo", "0.1", 3)
    schedule, e, scale = list(tested.schedule), tested.exp_epsilon, tested.scale
    schedules.certify_any(schedule, e, scale)
    for m in range(len(schedule)):
        broken = [*schedule[:m], schedule[m] - 1, *schedule[m + 1 :]]
        with pytest.raises(AssertionError, match=f"breaks its guarantee at m = {max(0, m - 1)}"):
            schedules.certify_any(broken, e, scale)


def test_the_certificate_under_replace_sees_a_schedule_that_falls_too_fast():
    tested = mechanism("ds-roo", "0.1", 3, relation="replace", n=60)
    with pytest.raises(AssertionError, match="becomes"):
        schedules.certify_replace(
            schedules.add_remove(tested.exp_epsilon, tested.scale), tested.exp_epsilon, tested.scale, 3, 60
        )
    for m in range(len(tested.schedule)):
        broken = [*tested.schedule[:m], tested.schedule[m] - 1, *tested.schedule[m + 1 :]]
        with pytest.raises(AssertionError, match="breaks its guarantee"):
            schedules.certify_replace(broken, tested.exp_epsilon, tested.scale, 3, 60)


@given(k=st.integers(3, 9), m=st.integers(1, 30), spare=st.integers(1, 500), above=st.integers(0, 2**70))
def test_each_term_of_the_recursion_is_the_smallest_that_meets_its_inequality(k, m, spare, above):
    """In use one term outweighs the other; alone, each must still solve the inequality it stands for."""
    tested = mechanism("ds-roo", "0.3", k, relation="replace")
    e, scale, n, before = tested.exp_epsilon, tested.scale, k * m + spare, tested.pseudo_count + above
    h = n - (k - 1) * m

    def probability(count, u):
        return Fraction(count * scale + u, n * scale + k * u)

    def falls(u):
        return probability(m + 1, before) <= e * probability(m, u)

    def stays(u):
        return probability(h, u) <= e * probability(h, before)

    for term, holds in ((schedules._b, falls), (schedules._c, stays)):
        u = term(e, scale, k, n, m, before)
        assert holds(max(0, u))
        assert u <= 0 or not holds(u - 1)


@pytest.mark.parametrize("relation", ["any", "replace", "add-remove"])
def test_ds_roo_never_smooths_more_than_roo(relation):
    roo, ds_roo = mechanism("roo", "0.1", 3, relation=relation), mechanism("ds-roo", "0.1", 3, relation=relation)
    for m in range(30):
        counts = Counts.dense([m, m + 2, 40])
        assert ds_roo._bound_to(counts).smoothing(counts).unseen <= roo.smoothing(counts).unseen


def test_counts_and_mechanisms_show_nothing_private():
    counts = Counts.dense([1234, 5678], outside=91011)
    tested = [mechanism(name, 1, 2, relation="replace") for name in MECHANISMS]
    shown = f"{counts!r} {counts} {tested!r} {Smoothing(5678)!r}"
    assert not any(number in shown for number in ("1234", "5678", "91011", "6912"))


def test_sparse_counts_add_up_repeated_ranks_and_drop_zeros():
    import numpy as np

    counts = Counts.sparse(5, np.array([3, 1, 3, 2]), np.array([1, 4, 6, 0]))
    assert (counts.ranks.tolist(), counts.counts.tolist()) == ([1, 3], [4, 7])
    assert (counts.n, counts.minimum) == (11, 0)
    assert Counts.dense([2, 5]).minimum == 2
