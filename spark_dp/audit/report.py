"""The audit: what a mechanism guarantees, shown anew for the parameters that somebody uses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from spark_dp.audit.enumeration import EnumerationCheck, Progress, check_enumeration
from spark_dp.audit.inequalities import InequalityCheck, check_inequalities
from spark_dp.audit.sampler import LEVEL, SamplerCheck, check_sampler
from spark_dp.audit.size import fitting
from spark_dp.errors import ArgumentError
from spark_dp.mechanisms.base import MAX_RECORDS, Mechanism
from spark_dp.mechanisms.registry import AUTO, mechanism
from spark_dp.privacy import Relation
from spark_dp.version import __version__


@dataclass(frozen=True)
class Audit:
    """What was checked of a mechanism, and what was found.

    Args:
        mechanism: with its public parameters.
        n: records of the tables that were made up; public under "replace" only.
        inequalities: those of its proof, whatever the counts.
        enumeration: of small neighbors, exactly.
        sampler: real draws.
    """

    mechanism: Mechanism
    n: int
    inequalities: InequalityCheck
    enumeration: EnumerationCheck
    sampler: SamplerCheck

    @property
    def holds(self) -> bool:
        """Whether every check does."""
        return self.inequalities.holds and self.enumeration.holds and self.sampler.holds

    def record(self) -> dict[str, Any]:
        """Everything that was checked and found, public as it is, for programs."""
        tested, enumerated, sampled = self.mechanism, self.enumeration, self.sampler
        worst = enumerated.worst
        return {
            "method": tested.name,
            "epsilon": str(tested.epsilon),
            "k": tested.k,
            "n": self.n,
            "relation": tested.relation.value,
            "num_samples": tested.num_samples,
            "version": __version__,
            "holds": self.holds,
            "guarantee": tested.guarantee.in_words(),
            "inequalities": {
                "holds": self.inequalities.holds,
                "number": self.inequalities.number,
                "about": self.inequalities.about,
                "broken": self.inequalities.broken,
            },
            "enumeration": {
                "holds": enumerated.holds,
                "k": enumerated.size.k,
                "n": enumerated.size.n,
                "num_samples": enumerated.draws,
                "histograms": enumerated.histograms,
                "pairs": enumerated.pairs,
                "largest_ratio": finite(enumerated.ratio),
                "share_of_epsilon": finite(enumerated.share),
                "counts": worst and worst.counts,
                "neighbor": worst and worst.neighbor,
            },
            "sampler": {
                "holds": sampled.holds,
                "what": sampled.what,
                "number": sampled.number,
                "degrees_of_freedom": sampled.degrees,
                "chi_square": finite(sampled.statistic),
                "threshold": sampled.threshold,
                "alpha": LEVEL,
                "noticed_total_variation": sampled.noticed,
            },
        }


def audit(
    method: str = AUTO,
    eps: object = 1,
    k: int = 4,
    *,
    n: int = 12,
    relation: str | Relation = Relation.ANY,
    num_samples: int = 1,
    progress: Progress | None = None,
) -> Audit:
    """Check the guarantee of a mechanism for one's own public parameters, without any data.

    Three checks of the mechanism that a release would use. The inequalities of its proof, in integers, for exactly
    these parameters and all counts. Every neighbor of every small histogram, with the exact probability of all that can
    be released; what is too large for some seconds is made smaller, and the audit says how. Real draws, by a χ² test
    at the level 10⁻⁶. The first two are certain; the last fails once in a million audits of a sampler that is right.

    Args:
        method: one of ``spark_dp.methods()``.
        eps: privacy loss bound of the whole release, read as decimal text.
        k: size of the public domain.
        n: records of the tables that are made up; under "replace" the public number of records.
        relation: "any", "replace" or "add-remove".
        num_samples: draws in the release.
        progress: called as ``progress(done, total)`` after every histogram.

    Raises:
        MethodError, EpsilonError, RelationError, NumSamplesError, ArgumentError: on parameters out of range.

    >>> found = audit("ds-roo", eps="0.5", k=3, n=8)
    >>> found.inequalities.number, found.enumeration.pairs, found.holds
    (16, 855, True)
    >>> f"{found.enumeration.share:.3f}", found.enumeration.worst.counts, found.enumeration.worst.neighbor
    ('1.000', (0, 0, 1), (1, 0, 0))
    """
    if isinstance(n, bool) or not isinstance(n, int) or not 0 <= n <= MAX_RECORDS:
        raise ArgumentError(f"n = {n!r} must be a number of records: a whole number from 0 to {MAX_RECORDS}.")
    public_n = n if relation == Relation.REPLACE else None
    tested = mechanism(method, eps, k, relation=relation, num_samples=num_samples, n=public_n)
    return audit_of(tested, n, progress)


def audit_of(tested: Mechanism, n: int, progress: Progress | None = None) -> Audit:
    """Check a mechanism, under "replace" one that knows its n."""
    tested.prepare()
    size = fitting(tested, n)
    return Audit(
        tested,
        n,
        check_inequalities(tested),
        check_enumeration(tested, size, progress),
        check_sampler(tested, n, size),
    )


def finite(number: float) -> float | None:
    """The number, None if it is infinite, which JSON does not know."""
    return number if math.isfinite(number) else None
