"""What a release costs and who has to pay for it."""

from spark_dp.budget.entry import Budget, Entry, Release, Reservation

__all__ = ["Budget", "Entry", "Release", "Reservation"]
