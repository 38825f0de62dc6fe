"""A method as somebody who extends the library would write it: about fifteen lines, and a registry line.

As a pytest plugin (``-p new_method``) it is registered, and the contract suite runs over it.
"""

from fractions import Fraction

from spark_dp.mechanisms.registry import MECHANISMS
from spark_dp.mechanisms.ss_roo import exact_from
from spark_dp.mechanisms.weights import Scheme, Smoothing, WeightsMechanism


class Floor(WeightsMechanism):
    """Q(y) ∝ max(c_y, f) with f = ⌈T/(e^ε − 1)⌉, from an urn.

    A rise from f or more costs (f + T)/f ≤ e^ε; what falls above f while another count rises below it
    changes the total alone, and by less.
    """

    name = "floor"
    summary = "an urn that starts with the counts, small ones raised to one number"
    scheme = Scheme.POLYA_URN

    def weight(self, count):
        return max(count, exact_from(self.exp_epsilon, self.num_samples)) * self.scale

    def smoothing(self, counts):
        return Smoothing(self.weight(0), [self.weight(count) - count * self.scale for count in counts.counts.tolist()])

    def error_bound(self, n):
        return Fraction((self.k - 1) * self.weight(0), self.weight(n) + (self.k - 1) * self.weight(0))


def pytest_configure():
    MECHANISMS[Floor.name] = Floor
