"""SS-ROO's table against the definition: every pair of counts, and the smallest weights there are."""

from fractions import Fraction

import numpy as np
import pytest

from spark_dp import mechanism
from spark_dp.errors import ArgumentError, MethodError
from spark_dp.exact.rising import Rising
from spark_dp.mechanisms import envelope, ss_roo
from spark_dp.mechanisms.envelope import Envelope, Inequalities, Step


@pytest.fixture
def few_pieces(monkeypatch):
    """Pieces of several counts, as for large tables, in a small one."""
    monkeypatch.setattr(envelope, "MAX_PIECES", 4)
    ss_roo._envelope.cache_clear()
    yield
    ss_roo._envelope.cache_clear()


CASES = [
    (eps, k, draws, relation)
    for eps, draws in (("0.1", 1), ("0.07", 2), ("0.5", 3), ("2", 3), ("6", 2))
    for k in (2, 3, 9)
    for relation in ("any", "replace", "add-remove")
]


def rising(x, draws):
    product = Fraction(1)
    for term in range(draws):
        product *= x + term
    return product


def largest_cost(tested, n):
    """The largest change of a probability over every count that rises and every one that falls, exactly."""
    table, draws = tested.envelope, tested.num_samples
    b = [Fraction(table(count), table.scale) for count in range(table.exact_from + 4)]
    worst = Fraction(0)
    for c in range(table.exact_from + 1):
        gain = rising(b[c + 1], draws) / rising(b[c], draws)
        worst = max(worst, gain)
        if tested.relation == "add-remove":
            continue
        for d in range(1, table.exact_from + 3):
            total = max(b[c] + b[d] + (tested.k - 2) * b[0], n or 0)
            after = total + (b[c + 1] - b[c]) - (b[d] - b[d - 1])
            worst = max(worst, gain * rising(total, draws) / rising(after, draws))
    return worst


@pytest.mark.parametrize(("eps", "k", "draws", "relation"), CASES)
def test_every_rise_with_every_fall_stays_within_epsilon(eps, k, draws, relation):
    n = 30 if relation == "replace" else None
    tested = mechanism("ss-roo", eps, k, relation=relation, num_samples=draws, n=n)
    worst = largest_cost(tested, n)
    assert worst <= tested.exp_epsilon * (1 + Fraction(1, 2**100))
    if k == 2 or relation == "add-remove":
        # Nothing is smoothed more than need be; for more values what the others weigh is only bounded.
        assert worst > tested.exp_epsilon * (1 - Fraction(1, 10**15))


@pytest.mark.usefixtures("few_pieces")
@pytest.mark.parametrize(("eps", "k", "draws", "relation"), CASES)
def test_pieces_of_several_counts_stay_within_epsilon_too(eps, k, draws, relation):
    n = 30 if relation == "replace" else None
    tested = mechanism("ss-roo", eps, k, relation=relation, num_samples=draws, n=n)
    assert len(tested.envelope.slopes) <= 4
    assert largest_cost(tested, n) <= tested.exp_epsilon * (1 + Fraction(1, 2**100))


def smallest_weights(eps, k, exact_from):
    """The definition for one draw, word by word and over all d, in floating point."""

    def downwards(others):
        b = np.arange(exact_from + 3, dtype=np.longdouble)
        for c in range(exact_from - 1, -1, -1):
            smallest = b[c + 1] / e
            if others is not None:
                d = np.arange(c + 2, exact_from + 2)
                # (b(c+1)/x) · B/(B − Δ) ≤ E, in which B − Δ does not depend on x.
                kept = b[d - 1] + b[c + 1] + others
                smallest = max(smallest, (b[c + 1] * (b[d] + others) / (e * kept - b[c + 1])).max())
            b[c] = max(c, smallest)
        return b

    e = np.exp(np.longdouble(eps))
    return downwards((k - 2) * downwards(None)[0])


@pytest.mark.parametrize(("eps", "k"), [("0.0005", 2), ("0.0005", 9), ("0.003", 100), ("0.1", 3)])
def test_up_to_two_thousand_counts_the_table_is_the_exact_one(eps, k):
    table = mechanism("ss-roo", eps, k).envelope
    expected = smallest_weights(eps, k, table.exact_from)
    for count in range(table.exact_from + 1):
        assert float(Fraction(table(count), table.scale)) == pytest.approx(float(expected[count]), rel=1e-12)


@pytest.mark.parametrize("k", [2, 9])
def test_larger_tables_are_at_most_a_thousandth_above_the_exact_one(k):
    table = mechanism("ss-roo", "0.0002", k).envelope
    expected = smallest_weights("0.0002", k, table.exact_from)
    assert table.exact_from == 5_000
    assert len(table.slopes) <= envelope.MAX_PIECES
    for count in range(table.exact_from):
        ratio = float(Fraction(table(count), table.scale)) / float(expected[count])
        assert 1 - 1e-12 < ratio < 1.001


@pytest.mark.parametrize("eps", ["0.00001", "0.001", "0.1", "1", "5"])
@pytest.mark.parametrize("draws", [1, 2, 50])
@pytest.mark.parametrize("k", [2, 3, 1000])
def test_hardly_any_falling_count_binds(eps, draws, k, monkeypatch):
    """What keeps a table linear: were many steps binding, it would cost the square of its length."""
    found = []

    class Counted(envelope._Steps):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            found.append(self.binding)

    monkeypatch.setattr(envelope, "_Steps", Counted)
    monkeypatch.setattr(envelope, "MAX_PIECES", 100)
    tested = mechanism("ss-roo", eps, k, num_samples=draws)
    ss_roo._envelope.__wrapped__(
        Rising(draws, tested.joint_epsilon, tested.exp_epsilon, tested.scale),
        tested.exact_from,
        tested.scale,
        k,
        tested.relation,
        0,
    )
    assert max(len(binding) for binding in found) <= 4


def test_a_step_that_is_left_out_is_outweighed():
    """The comparison of two steps, against the cost itself on a grid of all that may rise."""
    inequalities = Inequalities(Rising(2, Fraction(1), Fraction(2), 10), others=7)
    steps = [Step(weight, slope) for weight in (12, 25, 40) for slope in (2, 5, 9)]
    outweighed = 0
    for step in steps:
        for other in steps:
            higher = step.weight >= other.weight and step.slope >= other.slope
            if not higher or not inequalities.outweighs(step, other, least=5):
                continue
            outweighed += step != other
            for weight in range(5, 12):
                for slope in range(other.slope):
                    assert cost(inequalities, weight, slope, other) <= cost(inequalities, weight, slope, step)
    assert outweighed > 5


def cost(inequalities, weight, slope, step):
    above, below = inequalities.factors(weight, slope, step)
    ratio = Fraction(1)
    for upper, lower in zip(above, below, strict=True):
        ratio *= rising(Fraction(upper, 10), 2) / rising(Fraction(lower, 10), 2)
    return ratio


@pytest.mark.parametrize("draws", [1, 3])
def test_a_table_that_breaks_its_inequalities_is_a_bug_that_shows(draws):
    tested = mechanism("ss-roo", "0.3", 3, num_samples=draws)
    table, e = tested.envelope, tested.exp_epsilon
    rule = Inequalities(Rising(draws, tested.joint_epsilon, e, table.scale), others=table.weights[0] * 9 // 10)
    least = table.weights[0] * 9 // 10
    built = envelope.build(rule, table.exact_from, table.scale, least)
    envelope.certify(built, rule, least)
    # A few units are the search's rounding; a millionth is not.
    for place in range(len(built.weights)):
        lowered = list(built.weights)
        lowered[place] -= lowered[place] // 10**6
        with pytest.raises(AssertionError, match="breaks its guarantee"):
            envelope.certify(Envelope(built.knots, tuple(lowered), built.scale), rule, least)
    with pytest.raises(AssertionError, match="what the others weigh"):
        envelope.certify(built, rule, built.weights[0] + 1)
    too_early = Envelope(built.knots[:-1], built.weights[:-1], built.scale)
    with pytest.raises(AssertionError, match=r"b\(c\*\) = c\*"):
        envelope.certify(too_early, rule, least)


def test_an_envelope_that_ends_too_early_is_caught():
    tested = mechanism("ss-roo", "0.3", 3)
    rule = Inequalities(Rising(1, tested.joint_epsilon, tested.exp_epsilon, tested.scale), falls=False)
    short = envelope.build(rule, tested.exact_from - 1, tested.scale, 0)
    with pytest.raises(AssertionError, match=r"a rise from c\*"):
        envelope.certify(short, rule, 0)


def test_a_table_that_would_reach_too_far_is_refused_with_another_method():
    with pytest.raises(MethodError, match=r"smooth counts up to 1,999,999,500,001.*method='dirichlet'"):
        mechanism("ss-roo", "0.0000005", 3, num_samples=10**6)
    assert mechanism("ss-roo", "0.000001", 3, num_samples=10**6 // 2).exact_from < 10**12


def test_under_replace_the_table_needs_the_number_of_records():
    with pytest.raises(ArgumentError, match="give n"):
        _ = mechanism("ss-roo", 1, 3, relation="replace").envelope


@pytest.mark.parametrize("relation", ["any", "replace", "add-remove"])
@pytest.mark.parametrize("draws", [1, 4])
def test_ss_roo_smooths_half_as_much_as_dirichlet_and_frequent_values_less(relation, draws):
    tested = mechanism(
        "ss-roo", "0.2", 3, relation=relation, num_samples=draws, n=50 if relation == "replace" else None
    )
    dirichlet = mechanism("dirichlet", "0.2", 3, relation=relation, num_samples=draws)
    share = Fraction(dirichlet.pseudo_count, dirichlet.scale)
    added = [tested.envelope(count) - count * tested.envelope.scale for count in range(tested.exact_from + 2)]
    assert added == sorted(added, reverse=True)
    assert Fraction(added[0], tested.envelope.scale) < share * Fraction(52, 100)
