"""An audit in words."""

from __future__ import annotations

import math
from collections.abc import Iterator

from spark_dp.audit.enumeration import EnumerationCheck
from spark_dp.audit.neighbors import Histogram
from spark_dp.audit.report import Audit
from spark_dp.audit.sampler import SamplerCheck
from spark_dp.mechanisms.base import Mechanism
from spark_dp.mechanisms.noise import NoiseMechanism
from spark_dp.mechanisms.weights import Scheme, WeightsMechanism
from spark_dp.privacy import Relation
from spark_dp.version import __version__
from spark_dp.wording import numbered


def title(audit: Audit) -> str:
    """What was audited: all that is public of it."""
    tested = audit.mechanism
    n = f"n = {audit.n:,}" if tested.relation is Relation.REPLACE else f"n private (here {audit.n:,})"
    draws = numbered(tested.num_samples, "draw")
    parameters = f"ε = {tested.epsilon}, k = {tested.k:,}, {n}, relation {tested.relation.value}, {draws}"
    return f"{tested.name}, {parameters} (spark_dp {__version__})"


def findings(audit: Audit) -> list[tuple[str, bool, str]]:
    """The name of each check, whether it holds, and what it found."""
    return [
        ("Inequalities", audit.inequalities.holds, audit.inequalities.in_words()),
        ("Enumeration", audit.enumeration.holds, " ".join(_enumerated(audit))),
        ("Sampler", audit.sampler.holds, " ".join(_drawn(audit.sampler))),
    ]


def conclusion(audit: Audit) -> str:
    """What all of it means."""
    if not audit.holds:
        return "The guarantee does not hold."
    # A method of somebody else's has a proof that is not known here.
    return "The guarantee holds." if audit.inequalities.number else "Nothing speaks against the guarantee."


def _enumerated(audit: Audit) -> Iterator[str]:
    found, tested = audit.enumeration, audit.mechanism
    yield _looked_at(found, tested.relation)
    yield _farthest(found, _compared(tested, found.draws))
    fewer = found.draws != tested.num_samples
    smaller = (found.size.k, found.size.n) != (tested.k, audit.n)
    if smaller:
        yield f"All tables of k = {tested.k:,} and n = {audit.n:,} are too many."
    if fewer:
        yield f"{tested.num_samples:,} draws are too many: these are of a release of {found.draws} at the same ε."
    if smaller or fewer:
        yield "The inequalities cover the rest." if audit.inequalities.number else "Nothing covers the rest."


def _looked_at(found: EnumerationCheck, relation: Relation) -> str:
    up_to = "" if relation is Relation.REPLACE else "up to "
    values = numbered(found.size.k, "value")
    return (
        f"{found.histograms:,} histograms of {up_to}{found.size.n:,} records over {values}, "
        f"{found.pairs:,} pairs of neighbors."
    )


def _farthest(found: EnumerationCheck, what: str) -> str:
    if found.worst is None:
        return "Nothing to tell apart."
    where = f"{_histogram(found.worst.counts)} and {_histogram(found.worst.neighbor)}"
    if math.isinf(found.share):
        return f"Something can be had of one only: {what} at {where}. No ε bounds that."
    share = f"{found.ratio:.10g}, {100 * found.share:.4g} % of ε, at {where}"
    return f"Largest exact ratio for {what}: {share}." if found.holds else f"Too large a ratio for {what}: {share}."


def _compared(mechanism: Mechanism, draws: int) -> str:
    if isinstance(mechanism, NoiseMechanism):
        return "noisy counts"
    if draws == 1:
        return "a draw"
    independent = isinstance(mechanism, WeightsMechanism) and mechanism.scheme is Scheme.INDEPENDENT
    return f"{draws:,} {'independent ' if independent else ''}draws together"


def _histogram(counts: Histogram) -> str:
    return f"({', '.join(f'{count:,}' for count in counts)})"


def _drawn(found: SamplerCheck) -> Iterator[str]:
    yield f"{found.what}."
    if not found.degrees:
        yield "Only one outcome is to be expected, so that nothing can be told."
        return
    freedom = f"{numbered(found.degrees, 'degree')} of freedom"
    verdict = "at most" if found.holds else "more than"
    yield f"χ² = {found.statistic:.1f}, {verdict} {found.threshold:.1f} at α = 10⁻⁶ with {freedom}."
    if found.noticed is None:
        yield "No deviation is sure to be noticed."
    else:
        yield f"A sampler off by {found.noticed:.2g} in total variation would pass once in a million times."
