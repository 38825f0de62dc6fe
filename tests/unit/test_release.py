"""The use case without an engine: what is charged when, and what an error may tell."""

import json
import traceback

import pytest

from spark_dp import Counts, Entry, mechanism
from spark_dp.errors import BudgetError, PrivateComputationError
from spark_dp.exact.source import SYSTEM
from spark_dp.mechanisms import envelope, schedules
from spark_dp.mechanisms.perturbed_histogram import PerturbedHistogram
from spark_dp.privacy import Epsilon
from spark_dp.release import read_publicly, release_histogram, release_sample, release_weights


class Allowance:
    """A budget that notes what happens to it."""

    def __init__(self, events, *, refuses=False):
        self.events, self.refuses = events, refuses

    def reserve(self, entry):
        if self.refuses:
            raise BudgetError("The budget is spent.")
        self.events.append(("reserved", entry.epsilon))


def counting(events):
    def count():
        events.append("counted")
        return Counts.dense([0, 3, 7])

    return count


def test_the_budget_is_charged_before_a_row_is_read():
    events = []
    drawn = release_sample(mechanism("ds-roo", "0.50", 3, num_samples=4), ("c",), counting(events), Allowance(events))
    assert events == [("reserved", "0.5"), "counted"]
    assert len(drawn.values) == 4


def test_a_budget_that_refuses_leaves_the_rows_unread():
    events = []
    with pytest.raises(BudgetError):
        release_sample(mechanism("roo", 1, 3), ("c",), counting(events), Allowance(events, refuses=True))
    assert events == []


def test_a_failure_stays_charged_and_tells_nothing_of_its_cause():
    events = []

    def count():
        raise ValueError("row 17 holds 'secret'")

    with pytest.raises(PrivateComputationError) as error:
        release_sample(mechanism("roo", 1, 3), ("c",), count, Allowance(events))
    assert events == [("reserved", "1")]
    assert error.value.__cause__ is None
    assert error.value.__context__ is None
    assert "secret" not in "".join(traceback.format_exception(error.value))
    assert "Spark's own logs" in str(error.value)


def test_the_record_holds_public_facts_only():
    drawn = release_sample(mechanism("roo", 1, 3, relation="replace"), ("c",), counting([]))
    assert drawn.entry.record() == {
        "method": "roo",
        "epsilon": "1",
        "relation": "replace",
        "columns": ["c"],
        "k": 3,
        "num_samples": 1,
        "version": drawn.entry.version,
        "by": [],
        "privacy_unit": None,
    }
    assert Entry.read(json.loads(json.dumps(drawn.entry.record()))) == drawn.entry
    assert drawn.guarantee.in_words().startswith("1-differential privacy: replacing any one row")


def test_a_histogram_is_charged_and_recorded_as_one():
    events = []
    tested = PerturbedHistogram(Epsilon.parse(50), 3)
    noisy = release_histogram(tested, ("c",), counting(events), Allowance(events))
    assert events == [("reserved", "50"), "counted"]
    # λ = 0.04: noise of 2 or more has probability e^-50.
    assert all(abs(value - exact) < 2 for value, exact in zip(noisy.values, (0, 3, 7), strict=True))
    assert (noisy.entry.method, noisy.entry.num_samples, noisy.entry.k) == ("histogram", 0, 3)


@pytest.mark.parametrize("name", ["perturbed-histogram", "laplace-projection"])
@pytest.mark.parametrize("relation", ["any", "replace", "add-remove"])
def test_the_weights_of_draws_are_charged_and_recorded_as_the_draws(name, relation):
    events = []
    tested = mechanism(name, 50, 3, relation=relation, num_samples=10**9)
    drawn = release_weights(tested, ("c",), counting(events), Allowance(events))
    assert events == [("reserved", "50"), "counted"]
    assert (drawn.entry.method, drawn.entry.num_samples, drawn.entry.k) == (name, 10**9, 3)
    assert min(drawn.values) >= 0
    # Weights of what was counted, 0 3 7: λ is 0.04 or less, so that noise of 2 has probability e^-50.
    assert [weight / sum(drawn.values) for weight in drawn.values] == pytest.approx([0, 0.3, 0.7], abs=0.2)


@pytest.mark.parametrize("name", ["ds-roo", "ss-roo", "perturbed-histogram"])
def test_what_breaks_without_a_row_breaks_before_one_is_read(name, monkeypatch):
    """A table that fails its certificate, or a library that cannot be loaded: nothing was charged."""

    def broken(*_arguments):
        raise AssertionError("a bug")

    monkeypatch.setattr(schedules, "certify_any", broken)
    monkeypatch.setattr(envelope, "certify", broken)
    monkeypatch.setattr(type(SYSTEM), "with_laplace", broken)
    events = []
    with pytest.raises(AssertionError, match="a bug"):
        # An ε of its own, for which no table is kept.
        release_sample(mechanism(name, "0.7312", 3), ("c",), counting(events), Allowance(events))
    assert events == []


def test_a_failure_to_read_a_public_number_tells_nothing_of_its_cause():
    def count():
        raise ValueError("row 17 holds 'secret'")

    assert read_publicly(lambda: 7) == 7
    with pytest.raises(PrivateComputationError) as error:
        read_publicly(count)
    assert error.value.__context__ is None
