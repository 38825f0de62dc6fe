"""SubRR: randomized response of a random subset of the records."""

from __future__ import annotations

from typing import ClassVar

from spark_dp.errors import NumSamplesError
from spark_dp.mechanisms.weights import ConstantSmoothing, Scheme
from spark_dp.privacy import Relation


class Subrr(ConstantSmoothing):
    """Subsampled randomized response.

    Takes T different records at random; each keeps its value with probability 1 − q, else becomes
    a uniform value of the domain, with q = k T / (k T + n (e^ε − 1)). One draw is ROO.

    Guarantee: exactly ε for all T draws together, under "replace" only.
    Error bound: TV of each draw ≤ q (1 − 1/k).
    Source: Tasnim, Gilani, Sankar, Kosut (2025), arXiv:2504.14696, whose comparison is T = 1; the
    rate for T records: docs/mechanisms.md.

    Raises:
        NumSamplesError: if T exceeds the number of records, which is public.

    >>> from spark_dp import mechanism
    >>> m = mechanism("subrr", eps=1, k=9, relation="replace", n=1000, num_samples=10)
    >>> f"{float(m.error_bound(1000) / (1 - 1 / 9)):.6f}"  # q
    '0.049771'
    """

    name: ClassVar[str] = "subrr"
    summary: ClassVar[str] = "T different records, each kept or made uniform; relation='replace', T at most n"
    relations: ClassVar[frozenset[Relation]] = frozenset({Relation.REPLACE})
    depends_on_n: ClassVar[bool] = True
    scheme: ClassVar[Scheme] = Scheme.DISTINCT_RECORDS

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n is not None and self.num_samples > self.n:
            raise NumSamplesError(
                f"subrr draws different records, and num_samples = {self.num_samples} is more than the {self.n} there "
                "are. Ask for fewer, or use method='ss-roo' or 'dirichlet', which can draw any number."
            )
