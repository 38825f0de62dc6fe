"""The names of the mechanisms."""

from __future__ import annotations

from spark_dp.errors import MethodError, did_you_mean
from spark_dp.mechanisms import auto
from spark_dp.mechanisms.base import Mechanism, check_num_samples
from spark_dp.mechanisms.dirichlet import Dirichlet
from spark_dp.mechanisms.ds_roo import DsRoo
from spark_dp.mechanisms.laplace_projection import LaplaceProjection
from spark_dp.mechanisms.perturbed_histogram import PerturbedHistogram
from spark_dp.mechanisms.roo import Roo
from spark_dp.mechanisms.smoothed_histogram import SmoothedHistogram
from spark_dp.mechanisms.ss_roo import SsRoo
from spark_dp.mechanisms.subrr import Subrr
from spark_dp.privacy import Epsilon, Relation

_ALL: tuple[type[Mechanism], ...] = (
    *(Roo, DsRoo, SsRoo, Subrr, Dirichlet),
    *(SmoothedHistogram, PerturbedHistogram, LaplaceProjection),
)
MECHANISMS: dict[str, type[Mechanism]] = {cls.name: cls for cls in _ALL}

#: Not a mechanism: chooses one from the public parameters.
AUTO = "auto"


def methods() -> dict[str, str]:
    """What ``method=`` can be, with one line about each.

    >>> list(methods())[:4]
    ['auto', 'roo', 'ds-roo', 'ss-roo']
    """
    return {AUTO: auto.SUMMARY, **{name: cls.summary for name, cls in MECHANISMS.items()}}


def check_method(name: object) -> str:
    """The name of a method, if it is one.

    Raises:
        MethodError: if it is not.
    """
    if isinstance(name, str) and name in methods():
        return name
    raise MethodError(f"method = {name!r} is not a sampling method. {did_you_mean(name, methods())}")


def mechanism(
    name: str,
    eps: object,
    k: int,
    *,
    relation: str | Relation = Relation.ANY,
    num_samples: int = 1,
    n: int | None = None,
) -> Mechanism:
    """A sampling mechanism without an engine: for counts that are already at hand.

    Args:
        name: one of :func:`methods`; "auto" gives the mechanism it chooses.
        eps: privacy loss bound of the whole release, read as decimal text.
        k: size of the public domain.
        relation: "any", "replace" or "add-remove".
        num_samples: draws in the release.
        n: number of records, under "replace" only, where it is public.

    Raises:
        MethodError, EpsilonError, RelationError, NumSamplesError, ArgumentError: on parameters out of range.

    >>> m = mechanism("ds-roo", eps="0.1", k=9, relation="replace", n=1000)
    >>> print(m.guarantee.in_words())
    0.1-differential privacy: replacing any one row changes the probability of any release by a factor of at most 1.106.
    >>> round(float(m.error_bound(n=1000)), 6)
    0.07007
    >>> mechanism("auto", eps=50, k=1).draw([12])
    [0]
    """
    chosen = MECHANISMS.get(check_method(name))
    if chosen is None:
        chosen = auto.choose(Epsilon.parse(eps), k, Relation.parse(relation), check_num_samples(num_samples))
    return chosen(Epsilon.parse(eps), k, Relation.parse(relation), num_samples, n)
