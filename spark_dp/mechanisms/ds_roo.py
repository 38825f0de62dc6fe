"""DS-ROO: ROO whose rate falls as the rarest value of the domain becomes more frequent."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property, lru_cache
from typing import ClassVar

from spark_dp.errors import ArgumentError, MethodError
from spark_dp.mechanisms import schedules
from spark_dp.mechanisms.base import refuse_replace_apart
from spark_dp.mechanisms.roo import Roo
from spark_dp.privacy import Relation

#: The schedule has about 1.84 T/ε entries; at this limit it takes some seconds to build.
MIN_EPSILON_PER_DRAW = Fraction(1, 10**6)


class DsRoo(Roo):
    """Data-specific reveal-or-obscure sampling.

    Q(y) ∝ c_y + u_m with m the smallest count over the domain. The schedule u_0 = t, u_1, …
    falls to 0 at m ≈ 1.84 T/ε; from there on a draw reveals outright and is still ε-DP.

    * "any": v_0 = t, v_{m+1} = (v_m + 2)/E, u_m = max(0, v_m − m), with E = e^(ε/T);
    * "add-remove": u_m = max(0, t − m);
    * "replace": the pointwise smallest schedule that keeps ε for the public n.

    Guarantee: ε under every relation; tight under "replace".
    Error bound: as ROO (reached at m = 0), and never worse than ROO on any table.
    Source: Tasnim, Gilani, Sankar, Kosut (2025), arXiv:2504.14696, the algorithm DS-ROO; the
    schedules for a private n are this project's (docs/mechanisms.md).

    Raises:
        MethodError: if ε/T is below 10⁻⁶, where the schedule would be too long.

    >>> from spark_dp import mechanism
    >>> [f"{float(p):.6f}" for p in mechanism("ds-roo", eps="0.1", k=4).pmf([4, 4, 4, 20])]
    ['0.189915', '0.189915', '0.189915', '0.430256']
    """

    name: ClassVar[str] = "ds-roo"
    summary: ClassVar[str] = "roo that obscures less the more frequent the rarest value is"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.epsilon.value / self.num_samples < MIN_EPSILON_PER_DRAW:
            raise MethodError(
                f"ds-roo has eps/num_samples = {self.epsilon}/{self.num_samples} per draw; below 10^-6 its schedule "
                "would have millions of entries. Use method='roo', fewer samples or a larger eps."
            )

    @cached_property
    def schedule(self) -> tuple[int, ...]:
        """u_0, u_1, …, in units of 1/scale record, up to the last entry that is not 0."""
        return _schedule(self.relation, self.exp_epsilon, self.scale, self.k, self.n)

    def prepare(self) -> None:
        """Build the schedule, unless it waits for n."""
        if not self.waits_for_n:
            _ = self.schedule

    def floor(self, minimum: int) -> int:
        """The pseudo-count u_m for every value."""
        return self.schedule[minimum] if minimum < len(self.schedule) else 0

    def check_apart(self) -> None:
        """Refused under replace, where a replaced row may raise the smallest count."""
        refuse_replace_apart(self)


@lru_cache(maxsize=16)
def _schedule(relation: Relation, e: Fraction, scale: int, k: int, n: int | None) -> tuple[int, ...]:
    """The schedule of the relation, certified; it depends on public parameters only."""
    if relation is Relation.REPLACE:
        if n is None:
            raise ArgumentError("Under relation='replace' the schedule depends on the number of records: give n.")
        return schedules.replace(e, scale, k, n)
    if relation is Relation.ADD_REMOVE:
        return schedules.add_remove(e, scale)
    return schedules.any_relation(e, scale)
