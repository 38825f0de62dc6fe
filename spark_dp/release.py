"""The use case: reserve the budget, count, draw, remember. Where counts come from is the caller's."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from spark_dp.budget import Budget, Entry, Release
from spark_dp.counts import Counts
from spark_dp.domain import Domain
from spark_dp.errors import ArgumentError, PrivateComputationError, ReleaseIdError
from spark_dp.exact.parts import Parts
from spark_dp.exact.source import SYSTEM
from spark_dp.mechanisms import Mechanism
from spark_dp.mechanisms.noise import NoiseMechanism
from spark_dp.privacy import Guarantee
from spark_dp.version import __version__

_LONGEST_ID = 200


@dataclass(frozen=True)
class Account:
    """Who pays for a release and remembers it.

    Args:
        budget: what is charged; None if nobody counts.
        release_id: the name under which the budget remembers the release.
        source: which rows are asked about, as the budget's keeper names them: a part of the question.
    """

    budget: Budget | None = None
    release_id: str | None = None
    source: str = ""

    def check(self) -> Account:
        """The account, if its release can be paid for and remembered.

        Raises:
            ArgumentError: if the budget is none.
            ReleaseIdError: if the name is no short text, or nothing remembers it.
        """
        if self.budget is not None and not callable(getattr(self.budget, "reserve", None)):
            raise ArgumentError(
                f"budget = {self.budget!r} cannot be charged: it is a {type(self.budget).__name__}. Give a budget of a "
                "ledger, budget=dp.Ledger('ledger.db').budget('flights', total=3), or None if nobody counts."
            )
        name: object = self.release_id
        if name is None:
            return self
        if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_ID or not name.isprintable():
            raise ReleaseIdError(
                f"release_id = {str(name)[:80]!r} must be a text of 1 to {_LONGEST_ID} printable characters that "
                "names this one release, such as 'flights-2026-11-30'."
            )
        if self.budget is None:
            raise ReleaseIdError(
                "release_id promises that the release is drawn once and remembered, and nothing here remembers it. "
                "Give the budget that does: budget=dp.Ledger('ledger.db').budget('flights', total=3)."
            )
        return self


@dataclass(frozen=True)
class Request:
    """What is asked for, and on whose account; public, and checked before.

    Args:
        columns: the sampled columns.
        domain: their values, cast to their types.
        privacy_unit: the column whose values are the units, None if each row is one.
        account: who pays.
    """

    columns: tuple[str, ...]
    domain: Domain
    privacy_unit: str | None = None
    account: Account = Account()

    def question(self, entry: Entry) -> str:
        """A text that is the same for the same arguments; of any version of spark_dp."""
        asked = {name: value for name, value in entry.record().items() if name not in ("version", "release_id")}
        whole = {**asked, "domain": self.domain.to_json(), "source": self.account.source}
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


def release_sample(mechanism: Mechanism, request: Request, count: Callable[[], Counts | Parts]) -> Release:
    """Draw a private sample once, from arguments that were checked before.

    The budget is charged before ``count`` reads the first row and stays charged whatever follows. It remembers
    the answer before anyone sees it.

    Args:
        mechanism: what draws.
        request: what is asked for.
        count: the counts, of one record for each unit.

    Raises:
        BudgetError: from the budget, before anything is read, or where it cannot remember the answer.
        PrivateComputationError: if counting or drawing fails.
    """
    entry = _entry(mechanism.name, mechanism, request, mechanism.num_samples)
    return _release(mechanism, entry, request, lambda: mechanism.draw(count()))


def release_groups(
    mechanism: Mechanism,
    whole: Guarantee,
    by: tuple[str, ...],
    groups: int,
    request: Request,
    count: Callable[[], Counts],
) -> Release:
    """Draw a sample in each of so many groups, whose counts follow one another; as :func:`release_sample`.

    Args:
        mechanism: what each group runs.
        whole: what all groups together promise.
        by: the columns whose values make the groups.
        groups: their number.
        request: what is asked for, with a domain of the groups and the sampled columns.
        count: the counts of all groups.
    """
    entry = replace(
        _entry(mechanism.name, mechanism, request, mechanism.num_samples),
        epsilon=str(whole.epsilon),
        relation=whole.relation.value,
        by=by,
    )

    def draw() -> list[int]:
        return [
            group * mechanism.k + rank
            for group, counts in enumerate(count().split(groups))
            for rank in mechanism.draw(counts)
        ]

    return _release(mechanism, entry, request, draw)


def release_weights(mechanism: NoiseMechanism, request: Request, count: Callable[[], Counts]) -> Release:
    """Release once what all num_samples draws are made from; otherwise as :func:`release_sample`.

    The draws are post-processing of the weights (all zero: uniform) and may be made anywhere.
    """
    entry = _entry(mechanism.name, mechanism, request, mechanism.num_samples)
    return _release(mechanism, entry, request, lambda: mechanism.released_weights(count()))


def release_histogram(mechanism: NoiseMechanism, request: Request, count: Callable[[], Counts]) -> Release:
    """Release all counts once, with noise; otherwise as :func:`release_sample`."""
    entry = _entry("histogram", mechanism, request, 0)
    return _release(mechanism, entry, request, lambda: mechanism.noisy_counts(count()))


def read_publicly(answer: Callable[[], int]) -> int:
    """A number that is public although private rows are read for it.

    Raises:
        PrivateComputationError: if that fails.
    """
    return _silent(lambda: [answer()])[0]


def _entry(method: str, mechanism: Mechanism, request: Request, num_samples: int) -> Entry:
    return Entry(
        method=method,
        epsilon=str(mechanism.epsilon),
        relation=mechanism.relation.value,
        columns=request.columns,
        k=mechanism.k,
        num_samples=num_samples,
        version=__version__,
        privacy_unit=request.privacy_unit,
        release_id=request.account.release_id or _random_key(),
    )


def _random_key() -> str:
    return f"{SYSTEM.below(1 << 128):032x}"


def _release(mechanism: Mechanism, entry: Entry, request: Request, draw: Callable[[], Sequence[int]]) -> Release:
    mechanism.prepare()
    budget = request.account.budget
    if budget is None:
        return Release(tuple(_silent(draw)), _random_key(), entry)
    reservation = budget.reserve(entry, request.question(entry))
    if reservation.stored is not None:
        return reservation.stored
    values = _silent(draw, reservation.fail)
    return reservation.commit(Release(tuple(values), _random_key(), entry))


def _silent(answer: Callable[[], Sequence[int]], failed: Callable[[], object] = lambda: None) -> Sequence[int]:
    """The answer, or an error that says nothing of its cause, once ``failed`` has been told."""
    values = _attempt(answer)
    if values is None:
        failed()
        raise PrivateComputationError(
            "Reading the private rows failed. The cause is withheld, since it may quote a value; whoever operates "
            "Spark finds it in Spark's own logs. A budget, if there was one, stays charged."
        )
    return values


def _attempt(answer: Callable[[], Sequence[int]]) -> Sequence[int] | None:
    """The answer; None if it failed.

    An error that is raised where another is handled keeps that one as its context, and the text of this one may
    quote a row: so it ends here.
    """
    try:
        return answer()
    except Exception:  # noqa: BLE001 — whatever it was, its text may quote a row
        return None
