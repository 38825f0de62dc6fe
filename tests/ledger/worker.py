"""A process that charges a ledger again and again, or runs one release and dies at a step of it."""

import os
import signal
import sys

import spark_dp as dp
from spark_dp.budget import Release
from spark_dp.errors import BudgetError, LedgerError
from spark_dp.exact.source import SYSTEM
from spark_dp.release import Account, Request, release_sample


class Dying:
    """A budget whose process is killed at a step."""

    def __init__(self, budget, step):
        self.budget, self.step = budget, step

    def at(self, step):
        if step == self.step:
            os.kill(os.getpid(), signal.SIGKILL)

    def reserve(self, entry, question):
        self.at("before reserve")
        reservation = self.budget.reserve(entry, question)
        self.at("after reserve")
        return DyingReservation(self, reservation)


class DyingReservation:
    def __init__(self, dying, reservation):
        self.dying, self.reservation, self.stored = dying, reservation, reservation.stored

    def commit(self, answer):
        self.dying.at("after the draw")
        stored = self.reservation.commit(answer)
        self.dying.at("after commit")
        return stored

    def fail(self):
        self.reservation.fail()


def spend(url, total, epsilon, times, worker):
    """Charge so many releases of random names; print the names of those that were granted."""
    budget = dp.Ledger(url).budget("b", total=total)
    for number in range(times):
        name = f"{worker}-{number}"
        entry = dp.Entry("roo", epsilon, "any", ("c",), 3, 1, "0", release_id=name)
        try:
            reservation = budget.reserve(entry, "q")
        except LedgerError:
            raise
        except BudgetError:
            continue
        print(name, flush=True)
        if SYSTEM.below(2):
            reservation.commit(Release((number,), "0f" * 16, entry))


def release(url, step):
    """One release under a name, with the process killed at a step; print what was drawn."""
    budget = Dying(dp.Ledger(url).budget("b", total=3), step)

    def count():
        budget.at("while counting")
        return dp.Counts.dense([5, 5, 5, 5, 5])

    request = Request(("c",), dp.Values(["a", "b", "c", "d", "e"]), account=Account(budget, "nightly"))
    drawn = release_sample(dp.mechanism("ss-roo", 1, 5, num_samples=20), request, count)
    print(drawn.values, flush=True)
    budget.at("after printing")


if __name__ == "__main__":
    task, *arguments = sys.argv[1:]
    {"spend": lambda: spend(*arguments[:3], int(arguments[3]), arguments[4]), "release": lambda: release(*arguments)}[
        task
    ]()
