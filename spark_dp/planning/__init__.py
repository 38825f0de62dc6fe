"""Planning before spending: what a release would be worth, from public facts alone."""

from spark_dp.planning.comparison import Plan, plan
from spark_dp.planning.needs import eps_needed, rows_needed

__all__ = ["Plan", "eps_needed", "plan", "rows_needed"]
