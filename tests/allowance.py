"""Budgets that keep nothing but what happened to them."""

from spark_dp.errors import BudgetError


class Allowance:
    """A budget that notes in one list when it is charged, with what, and how that ended."""

    stored = None

    def __init__(self, events=None, *, refuses=False):
        self.events = [] if events is None else events
        self.refuses = refuses
        self.entries = []
        self.questions = []

    def reserve(self, entry, question):
        if self.refuses:
            raise BudgetError("The budget is spent.")
        self.events.append(("reserved", entry.epsilon))
        self.entries.append(entry)
        self.questions.append(question)
        return self

    def commit(self, answer):
        self.events.append("committed")
        return answer

    def fail(self):
        self.events.append("failed")


class Refusing:
    """A budget that must not be asked."""

    def reserve(self, entry, question):
        raise AssertionError("charged")
