"""The use case without an engine: what is charged when, and what an error may tell."""

import json
import traceback

import pytest
from allowance import Allowance

from spark_dp import Counts, Entry, Values, mechanism
from spark_dp.budget import Release
from spark_dp.errors import ArgumentError, BudgetError, LedgerError, PrivateComputationError, ReleaseIdError
from spark_dp.exact.source import SYSTEM
from spark_dp.mechanisms import envelope, schedules
from spark_dp.mechanisms.perturbed_histogram import PerturbedHistogram
from spark_dp.privacy import Epsilon
from spark_dp.release import Account, Request, read_publicly, release_histogram, release_sample, release_weights


def request(budget=None, **account):
    return Request(("c",), Values(["x", "y", "z"]), account=Account(budget, **account))


def counting(events):
    def count():
        events.append("counted")
        return Counts.dense([0, 3, 7])

    return count


def test_the_budget_is_charged_before_a_row_is_read():
    events = []
    drawn = release_sample(mechanism("ds-roo", "0.50", 3, num_samples=4), request(Allowance(events)), counting(events))
    assert events == [("reserved", "0.5"), "counted", "committed"]
    assert len(drawn.values) == 4


def test_a_budget_that_refuses_leaves_the_rows_unread():
    events = []
    with pytest.raises(BudgetError):
        release_sample(mechanism("roo", 1, 3), request(Allowance(events, refuses=True)), counting(events))
    assert events == []


def test_a_failure_stays_charged_and_tells_nothing_of_its_cause():
    events = []

    def count():
        raise ValueError("row 17 holds 'secret'")

    with pytest.raises(PrivateComputationError) as error:
        release_sample(mechanism("roo", 1, 3), request(Allowance(events)), count)
    assert events == [("reserved", "1"), "failed"]
    assert error.value.__cause__ is None
    assert error.value.__context__ is None
    assert "secret" not in "".join(traceback.format_exception(error.value))
    assert "Spark's own logs" in str(error.value)


def test_the_record_holds_public_facts_only():
    drawn = release_sample(mechanism("roo", 1, 3, relation="replace"), request(), counting([]))
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
        "release_id": drawn.entry.release_id,
    }
    # Made by chance where none was given: it names this release and no other.
    assert len(drawn.entry.release_id) == 32
    assert Entry.read(json.loads(json.dumps(drawn.entry.record()))) == drawn.entry
    assert drawn.guarantee.in_words().startswith("1-differential privacy: replacing any one row")


def test_a_histogram_is_charged_and_recorded_as_one():
    events = []
    tested = PerturbedHistogram(Epsilon.parse(50), 3)
    noisy = release_histogram(tested, request(Allowance(events)), counting(events))
    assert events == [("reserved", "50"), "counted", "committed"]
    # λ = 0.04: noise of 2 or more has probability e^-50.
    assert all(abs(value - exact) < 2 for value, exact in zip(noisy.values, (0, 3, 7), strict=True))
    assert (noisy.entry.method, noisy.entry.num_samples, noisy.entry.k) == ("histogram", 0, 3)


@pytest.mark.parametrize("name", ["perturbed-histogram", "laplace-projection"])
@pytest.mark.parametrize("relation", ["any", "replace", "add-remove"])
def test_the_weights_of_draws_are_charged_and_recorded_as_the_draws(name, relation):
    events = []
    tested = mechanism(name, 50, 3, relation=relation, num_samples=10**9)
    drawn = release_weights(tested, request(Allowance(events)), counting(events))
    assert events == [("reserved", "50"), "counted", "committed"]
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
        release_sample(mechanism(name, "0.7312", 3), request(Allowance(events)), counting(events))
    assert events == []


def test_a_failure_to_read_a_public_number_tells_nothing_of_its_cause():
    def count():
        raise ValueError("row 17 holds 'secret'")

    assert read_publicly(lambda: 7) == 7
    with pytest.raises(PrivateComputationError) as error:
        read_publicly(count)
    assert error.value.__context__ is None


def test_a_budget_that_cannot_be_charged_is_refused():
    for budget in (3, "flights", dict):
        with pytest.raises(ArgumentError, match=r"cannot be charged: it is a (int|str|type)\. Give"):
            Account(budget).check()
    assert Account(Allowance()).check().budget is not None


def test_a_stored_release_is_given_and_nothing_is_read():
    events = []
    first = release_sample(mechanism("roo", 1, 3), request(Allowance(events), release_id="r"), counting(events))
    assert first.entry.release_id == "r"
    budget = Allowance(events)
    budget.stored = Release((2,), "ab" * 16, first.entry)
    del events[:]
    again = release_sample(mechanism("roo", 1, 3), request(budget, release_id="r"), counting(events))
    assert (again.values, again.key, again.entry) == ((2,), "ab" * 16, first.entry)
    assert events == [("reserved", "1")]


def test_what_another_run_stored_is_given_instead_of_what_was_drawn():
    budget = Allowance()
    stored = Release((2,), "ab" * 16, Entry("roo", "1", "any", ("c",), 3, 1, "0", release_id="r"))
    budget.commit = lambda _mine: stored
    drawn = release_sample(mechanism("roo", 50, 3), request(budget, release_id="r"), lambda: Counts.dense([9**9, 0, 0]))
    assert drawn.values == (2,)


def test_a_release_that_cannot_be_remembered_is_not_given():
    def full(_answer):
        raise LedgerError("full")

    budget = Allowance()
    budget.commit = full
    with pytest.raises(LedgerError):
        release_sample(mechanism("roo", 1, 3), request(budget), counting([]))


@pytest.mark.parametrize(
    "other",
    [
        {"method": "ds-roo"},
        {"eps": 2},
        {"num_samples": 2},
        {"relation": "replace"},
        {"columns": ("d",)},
        {"domain": Values(["x", "y", "w"])},
        {"privacy_unit": "p"},
        {"source": "month = 6"},
        {"histogram": True},
    ],
    ids=str,
)
def test_the_question_is_the_same_for_the_same_arguments_alone(other, monkeypatch):
    def question(method="roo", eps=1, relation="any", num_samples=1, source="", *, histogram=False, **known):
        budget = Allowance()
        if histogram:
            release_histogram(
                PerturbedHistogram(Epsilon.parse(eps), 3),
                Request(**asked | known, account=Account(budget, "r", source)),
                counting([]),
            )
        else:
            tested = mechanism(method, eps, 3, relation=relation, num_samples=num_samples)
            release_sample(tested, Request(**asked | known, account=Account(budget, "r", source)), counting([]))
        return budget.questions[0]

    asked = {"columns": ("c",), "domain": Values(["x", "y", "z"])}
    first = question()
    assert question(**other) != first
    # A newer version asks the same question.
    monkeypatch.setattr("spark_dp.release.__version__", "99")
    assert question() == first


@pytest.mark.parametrize("name", ["", "x" * 201, "line\nbreak", 7, b"r", True])
def test_a_release_id_is_a_short_text(name):
    with pytest.raises(ReleaseIdError, match="must be a text"):
        Account(Allowance(), name).check()


def test_a_release_id_without_a_budget_is_refused_with_the_way_out():
    with pytest.raises(ReleaseIdError, match=r"budget=dp\.Ledger"):
        Account(None, "r").check()
    assert Account(Allowance(), "flights-2026-11-30").check().release_id == "flights-2026-11-30"
