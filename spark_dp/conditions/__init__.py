"""Conditions that say which rows a release asks about."""

from spark_dp.conditions.check import checked
from spark_dp.conditions.text import written
from spark_dp.conditions.tree import Condition, names

__all__ = ["Condition", "checked", "names", "written"]
