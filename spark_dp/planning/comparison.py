"""All methods side by side, for parameters that are public."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_dp.counts import Counts
from spark_dp.errors import ArgumentError
from spark_dp.mechanisms.base import Mechanism
from spark_dp.mechanisms.noise import NoiseMechanism
from spark_dp.mechanisms.registry import AUTO, MECHANISMS, mechanism
from spark_dp.mechanisms.weights import WeightsMechanism
from spark_dp.planning.expected import Ints, expected_error, guessed_table
from spark_dp.planning.needs import check_rows, checked_error, most_samples, rows_needed, worst_error
from spark_dp.privacy import Epsilon, Relation

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Line:
    """What a plan says of one method; all but ``method`` and ``note`` may be unknown.

    Args:
        method: its name.
        chosen: whether ``method="auto"`` takes it.
        q: the largest share of a draw that is obscured, of methods that draw from smoothed counts.
        floor: records that a value without a record weighs there.
        noise_scale: λ, of methods that draw from noisy counts: how far a count is off on average.
        worst_tv: error bound, the largest total variation of a draw to the distribution of the rows.
        expected_tv: the same on average, for the guessed distribution.
        rows_needed: rows at which the error bound keeps the target.
        most_samples: the most draws at which it does with n rows; 0 if one draw is too much.
        note: why the method cannot answer.
    """

    method: str
    chosen: bool = False
    q: float | None = None
    floor: float | None = None
    noise_scale: float | None = None
    worst_tv: float | None = None
    expected_tv: float | None = None
    rows_needed: int | None = None
    most_samples: int | None = None
    note: str = ""


@dataclass(frozen=True, repr=False, eq=False)
class Plan:
    """What a release would be worth with each method, before anything is spent.

    Made by :func:`plan`; a notebook shows it as a table.

    Args:
        n: the public figure for the number of rows.
        k: size of the domain.
        epsilon: ε of the release.
        num_samples: its draws.
        relation: which tables are neighbors.
        error: the target of ``rows_needed`` and ``most_samples``.
        guess: the counts of n rows in the guessed proportions, None without a guess.
        lines: one for each method.
    """

    n: int
    k: int
    epsilon: Epsilon
    num_samples: int
    relation: Relation
    error: Fraction
    guess: Ints | None
    lines: tuple[Line, ...]

    @property
    def chosen(self) -> str:
        """The method that ``method="auto"`` takes."""
        return next(line.method for line in self.lines if line.chosen)

    @cached_property
    def table(self) -> pd.DataFrame:
        """The lines as a pandas table, one for each method, in the order of the worst error."""
        try:
            import pandas as pd
        except ModuleNotFoundError:
            raise ArgumentError("A plan's table needs pandas, which is not installed: pip install pandas.") from None
        types = {"rows_needed": "Int64", "most_samples": "Int64"}
        return pd.DataFrame([asdict(line) for line in self.lines]).astype(types).set_index("method")

    def plot(self) -> Figure:
        """The error of every method against ε and against the number of samples, with this plan's point marked.

        Needs the extra ``plot``. Errors are those expected for the guessed distribution, if there is one, else
        the worst ones.
        """
        from spark_dp.planning.pictures import trade_off

        return trade_off(self)

    def __str__(self) -> str:
        from spark_dp.planning.views import as_text

        return as_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from spark_dp.planning.views import as_html

        return as_html(self)


def plan(
    n: int,
    k: int,
    eps: object,
    num_samples: int = 1,
    *,
    relation: str | Relation = Relation.ANY,
    distribution: Any = None,
    error: object = "0.05",
) -> Plan:
    """What a release would be worth with each method: all of it from public facts, nothing is spent.

    Args:
        n: a public figure for the number of rows, such as last year's report has it. Not a count of the private
            table, unless that is public.
        k: size of the public domain.
        eps: privacy loss bound of the release, read as decimal text.
        num_samples: draws in the release.
        relation: "any", "replace" or "add-remove".
        distribution: a public guess of the values' distribution: k numbers of any sum, "uniform" or "zipf"
            (P(i) ∝ 1/i). None leaves ``expected_tv`` out.
        error: the total variation that ``rows_needed`` and ``most_samples`` aim at.

    Returns:
        A :class:`Plan`: its ``table`` has a line for each method, sorted by error, and ``plot()`` draws it.

    Error bound:
        ``worst_tv`` is exact. ``expected_tv`` is for the table of n rows in just the guessed proportions; for the
        methods with noise it is an average over up to 2,000 noisy tables, always the same ones, and within a few
        percent.

    Raises:
        ArgumentError: in one of its kinds, on parameters out of range.

    Source:
        The error bounds of the methods, docs/mechanisms.md.

    >>> planned = plan(1000, 9, 1, distribution="zipf")
    >>> planned.chosen
    'ss-roo'
    >>> planned.table.loc[["ss-roo", "roo"], ["rows_needed", "most_samples"]].values.tolist()
    [[61, 31], [88, 7]]
    """
    check_rows(n)
    asked = Plan(
        n,
        k,
        Epsilon.parse(eps),
        num_samples,
        Relation.parse(relation),
        checked_error(error),
        None if distribution is None else guessed_table(distribution, n, k),
        (),
    )
    auto = mechanism(AUTO, asked.epsilon, k, relation=asked.relation, num_samples=num_samples).name
    lines = [line_of(asked, name, chosen=name == auto) for name in MECHANISMS]
    return replace(asked, lines=tuple(sorted(lines, key=_order)))


def line_of(asked: Plan, name: str, *, chosen: bool) -> Line:
    """What there is to say of one method."""
    try:
        planned = planned_mechanism(asked, name)
        planned.prepare()
        worst = worst_error(planned, asked.n)
    except ArgumentError as refused:
        return Line(name, note=str(refused))
    q, floor = _smoothing(planned, asked.n, worst) if isinstance(planned, WeightsMechanism) else (None, None)
    return Line(
        method=name,
        chosen=chosen,
        q=q,
        floor=floor,
        noise_scale=planned.noise_scale if isinstance(planned, NoiseMechanism) else None,
        worst_tv=float(worst),
        expected_tv=error_expected(asked, planned),
        rows_needed=_rows_needed(asked, name),
        most_samples=most_samples(name, asked.epsilon, asked.k, asked.relation, asked.n, asked.error),
    )


def planned_mechanism(asked: Plan, name: str, **other: Any) -> Mechanism:
    """The mechanism of a plan, with other parameters where they are given."""
    given: dict[str, Any] = {"eps": asked.epsilon, "num_samples": asked.num_samples, **other}
    n = asked.n if asked.relation is Relation.REPLACE else None
    return mechanism(name, k=asked.k, relation=asked.relation, n=n, **given)


def error_expected(asked: Plan, planned: Mechanism) -> float | None:
    """The error for the guessed distribution, if there is one."""
    return None if asked.guess is None else expected_error(planned, asked.guess)


def _rows_needed(asked: Plan, name: str) -> int | None:
    try:
        return rows_needed(
            asked.k,
            asked.epsilon,
            error=asked.error,
            method=name,
            num_samples=asked.num_samples,
            relation=asked.relation,
        )
    except ArgumentError:
        return None


def _smoothing(planned: WeightsMechanism, n: int, worst: Fraction) -> tuple[float, float]:
    """q and the floor, where all rows agree: the table that is obscured most."""
    one_value = Counts.sparse(planned.k, np.array([0]), np.array([n]))
    q = worst * Fraction(planned.k, planned.k - 1) if planned.k > 1 else Fraction(0)
    return float(q), planned.smoothing(one_value).unseen / planned.scale


def _order(line: Line) -> tuple[float, bool]:
    return (2 if line.worst_tv is None else line.worst_tv, not line.chosen)
