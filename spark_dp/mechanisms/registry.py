"""The names of the mechanisms."""

from __future__ import annotations

from spark_dp.errors import MethodError, did_you_mean
from spark_dp.mechanisms.base import Mechanism
from spark_dp.mechanisms.ds_roo import DsRoo
from spark_dp.mechanisms.roo import Roo
from spark_dp.privacy import Epsilon, Relation

MECHANISMS: dict[str, type[Mechanism]] = {cls.name: cls for cls in (Roo, DsRoo)}


def mechanism_class(name: object) -> type[Mechanism]:
    """The class of the mechanism of that name.

    Raises:
        MethodError: if there is none.
    """
    if isinstance(name, str) and name in MECHANISMS:
        return MECHANISMS[name]
    raise MethodError(f"method = {name!r} is not a sampling method. {did_you_mean(name, MECHANISMS)}")


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
        name: "roo" or "ds-roo".
        eps: privacy loss bound of the whole release, read as decimal text.
        k: size of the public domain.
        relation: "any", "replace" or "add-remove".
        num_samples: draws in the release, each at eps/num_samples.
        n: number of records, under "replace" only, where it is public.

    Raises:
        MethodError, EpsilonError, RelationError, NumSamplesError, ArgumentError: on parameters out of range.

    >>> m = mechanism("ds-roo", eps="0.1", k=9, relation="replace", n=1000)
    >>> print(m.guarantee.in_words())
    0.1-differential privacy: replacing any one row changes the probability of any release by a factor of at most 1.106.
    >>> round(float(m.error_bound(n=1000)), 6)
    0.07007
    >>> mechanism("roo", eps=50, k=1).draw([12])
    [0]
    """
    return mechanism_class(name)(Epsilon.parse(eps), k, Relation.parse(relation), num_samples, n)
