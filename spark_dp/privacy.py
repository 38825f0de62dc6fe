"""The promise: an exact ε, a neighboring relation, and both put into words."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal, InvalidOperation
from enum import Enum
from fractions import Fraction

from spark_dp.errors import EpsilonError, RelationError, did_you_mean

MIN_EPSILON = Decimal("1e-9")
MAX_EPSILON = Decimal(50)


@dataclass(frozen=True)
class Epsilon:
    """A privacy loss bound, held exactly as the decimal number that was written.

    >>> Epsilon.parse(0.1).value * 3 == Epsilon.parse("0.3").value
    True
    """

    decimal: Decimal

    @property
    def value(self) -> Fraction:
        """ε as an exact rational."""
        return Fraction(self.decimal)

    @classmethod
    def parse(cls, eps: object) -> Epsilon:
        """Read ε from its decimal text: an int, a float, a Decimal or a string such as ``"0.1"``.

        Raises:
            EpsilonError: if it is no decimal number, or lies outside [10⁻⁹, 50].
        """
        if isinstance(eps, Epsilon):
            return eps
        advice = "Give a decimal number such as 0.5, 1 or '0.1'."
        # str(True) would fail anyway; the bool is named because True == 1 looks like a valid ε.
        if isinstance(eps, bool) or type(eps).__name__ in ("bool", "bool_"):
            raise EpsilonError(f"eps is a boolean ({eps}), not a privacy loss bound. {advice}")
        try:
            decimal = Decimal(str(eps).strip())
        except InvalidOperation:
            raise EpsilonError(f"eps = {eps!r} is not a decimal number. {advice}") from None
        if not decimal.is_finite():
            raise EpsilonError(f"eps = {eps} bounds nothing: it must be finite. {advice}")
        if decimal <= 0:
            raise EpsilonError(
                f"eps = {eps} must be positive: at 0 a sample could not depend on the data at all. {advice}"
            )
        # Compared as decimals: the fraction of '1e999999999' would fill the memory.
        if decimal > MAX_EPSILON:
            raise EpsilonError(
                f"eps = {eps} protects nobody: above {MAX_EPSILON} two neighboring tables may differ "
                f"by a factor of more than e^{MAX_EPSILON}. Most releases use an eps between 0.1 and 3."
            )
        if decimal < MIN_EPSILON:
            raise EpsilonError(
                f"eps = {eps} is below {MIN_EPSILON}, the smallest unit a budget counts: the sample would be "
                f"uniform over the domain. Give at least {MIN_EPSILON}."
            )
        return cls(decimal)

    def __str__(self) -> str:
        text = format(self.decimal, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text


class Relation(str, Enum):
    """Which tables are neighbors, that is, what one person can change."""

    ANY = "any"
    REPLACE = "replace"
    ADD_REMOVE = "add-remove"

    @classmethod
    def parse(cls, relation: object) -> Relation:
        """The relation of that name.

        Raises:
            RelationError: if there is none.
        """
        for known in cls:
            if relation == known.value:
                return known
        names = [known.value for known in cls]
        raise RelationError(
            f"relation = {relation!r} is not a neighboring relation: it says what one person can change in "
            f"the table. {did_you_mean(relation, names)}"
        )

    @property
    def in_words(self) -> str:
        """What one step between neighbors does to a record."""
        return {
            Relation.ANY: "adding, removing or replacing",
            Relation.REPLACE: "replacing",
            Relation.ADD_REMOVE: "adding or removing",
        }[self]


@dataclass(frozen=True)
class Guarantee:
    """ε-differential privacy of a whole release, under one relation, for one row or one privacy unit.

    Args:
        epsilon: ε of the whole release.
        relation: which tables are neighbors.
        privacy_unit: the column whose values are the units, of which a neighbor has one more, less or other, with
            all its rows; None if that is one row.

    >>> print(Guarantee(Epsilon.parse("0.5"), Relation.REPLACE).in_words())
    0.5-differential privacy: replacing any one row changes the probability of any release by a factor of at most 1.649.
    """

    epsilon: Epsilon
    relation: Relation
    privacy_unit: str | None = None

    def in_words(self) -> str:
        """The guarantee as one sentence for people."""
        # Rounded up: a promise may be understated, never overstated.
        factor = Context(prec=4, rounding=ROUND_CEILING).plus(self.epsilon.decimal.exp())
        whose = "any one row" if self.privacy_unit is None else f"all rows of any one {self.privacy_unit}"
        return (
            f"{self.epsilon}-differential privacy: {self.relation.in_words} {whose} changes the probability "
            f"of any release by a factor of at most {factor:,f}."
        )
