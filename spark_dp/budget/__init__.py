"""What a release costs and who has to pay for it."""

from spark_dp.budget.entry import Answer, Budget, Entry, Reservation

__all__ = ["Answer", "Budget", "Entry", "Reservation"]
