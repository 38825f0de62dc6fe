"""Which mechanism "auto" takes, and that it is told by public parameters."""

import pytest

from spark_dp import Counts, mechanism
from spark_dp.errors import NumSamplesError
from spark_dp.exact.bounds import exp_lower
from spark_dp.mechanisms.auto import choose
from spark_dp.mechanisms.base import MAX_DRAWS
from spark_dp.mechanisms.noise import MAX_NOISY_CELLS
from spark_dp.mechanisms.ss_roo import SsRoo, exact_from
from spark_dp.privacy import Epsilon, Relation


def chosen(eps, k, draws, relation="any"):
    return choose(Epsilon.parse(eps), k, Relation.parse(relation), draws).name


@pytest.mark.parametrize(("eps", "crossing"), [("0.1", 2), ("1", 3), ("3", 10)])
def test_few_draws_come_from_an_urn_and_many_from_noise(eps, crossing):
    assert chosen(eps, 9, crossing) == "ss-roo"
    assert chosen(eps, 9, crossing + 1) == "perturbed-histogram"


@pytest.mark.parametrize("relation", ["any", "replace", "add-remove"])
@pytest.mark.parametrize("eps", ["0.05", "1", "3", "12", "50"])
@pytest.mark.parametrize("k", [2, 10**6])
def test_the_choice_is_that_of_the_smaller_worst_error(relation, eps, k):
    """b(0) ≤ λ/2, worked out for each number of draws; under replace b is that of a private n."""
    half_scale = (0.5 if relation == "add-remove" else 1) / float(eps)
    for draws in (1, 2, 3, 5, 9, 20):
        tested = SsRoo(
            Epsilon.parse(eps), k, Relation.ANY if relation == "replace" else Relation.parse(relation), draws
        )
        few = tested.envelope(0) / tested.scale <= half_scale
        assert chosen(eps, k, draws, relation) == ("ss-roo" if few else "perturbed-histogram")


@pytest.mark.parametrize("eps", ["0.000001", "0.1", "1", "4", "9", "50"])
@pytest.mark.parametrize("k", [2, 10**6])
def test_a_table_is_not_built_only_where_it_would_not_be_chosen(eps, k):
    """The shortcut: b(0) exceeds λ/2 wherever c* exceeds 4 λ/2 + 4."""
    half_scale = 1 / float(eps)
    draws = 1
    while exact_from(exp_lower(Epsilon.parse(eps).value), draws) <= 4 * half_scale + 4 and draws < 10**6:
        draws = draws + 1 + draws // 10
    tested = SsRoo(Epsilon.parse(eps), k, Relation.ANY, min(draws, 10**6))
    assert tested.envelope(0) / tested.scale > half_scale or draws >= 10**6


def test_a_domain_too_large_for_noise_takes_an_urn():
    assert chosen("0.1", MAX_NOISY_CELLS, 100) == "perturbed-histogram"
    assert chosen("0.1", MAX_NOISY_CELLS + 1, 100) == "ss-roo"
    # Where the table would reach too far as well, the urn that needs none.
    assert chosen("0.0000001", MAX_NOISY_CELLS + 1, 10**6) == "dirichlet"


@pytest.mark.parametrize("eps", ["0.001", "50"])
def test_more_draws_than_a_list_holds_come_from_noise_or_are_refused(eps):
    """Even where an urn would be nearer: the driver cannot make them one by one."""
    assert chosen(eps, MAX_NOISY_CELLS, MAX_DRAWS + 1) == "perturbed-histogram"
    assert chosen("50", MAX_NOISY_CELLS + 1, MAX_DRAWS) == "ss-roo"
    with pytest.raises(NumSamplesError, match=r"domain of 1,048,577 values.*at most 1,048,576"):
        chosen(eps, MAX_NOISY_CELLS + 1, MAX_DRAWS + 1)


def test_auto_is_the_mechanism_it_chooses():
    assert mechanism("auto", 1, 9, num_samples=2) == mechanism("ss-roo", 1, 9, num_samples=2)
    assert mechanism("auto", 1, 9, relation="replace", n=5).n == 5


def test_the_choice_is_the_same_for_every_table():
    """It cannot depend on counts that it is not given: n under replace, which is public, does not enter either."""
    tested = mechanism("auto", 1, 3, relation="replace", num_samples=3)
    assert type(tested) is type(mechanism("auto", 1, 3, relation="replace", num_samples=3, n=10**9))
    assert tested.draw(Counts.dense([1, 2, 3])) != []
