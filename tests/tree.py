"""All that chance can do: a run of code through the whole tree of random numbers."""

from collections import defaultdict
from fractions import Fraction


def every_outcome(run):
    """The exact probability of each outcome of a function of a source of random numbers."""
    found = defaultdict(Fraction)

    def explore(tickets, probability):
        try:
            found[run(Replayed(tickets))] += probability
        except ExhaustedError as asked:
            for ticket in range(asked.bound):
                explore([*tickets, ticket], probability / asked.bound)

    explore([], Fraction(1))
    return dict(found)


class ExhaustedError(Exception):
    def __init__(self, bound):
        self.bound = bound


class Replayed:
    """A source that gives the numbers of a list and then tells what it would be asked for."""

    def __init__(self, tickets):
        self._tickets = iter(tickets)

    def below(self, bound):
        for ticket in self._tickets:
            return ticket
        raise ExhaustedError(bound)
