"""A domain of 10^12 values is never listed: a draw costs the values seen."""

import tracemalloc

import numpy as np
import pytest

from spark_dp import Counts, mechanism

K, SEEN = 10**12, 1000


@pytest.mark.parametrize(
    ("name", "relation"),
    [("roo", "any"), ("ds-roo", "any"), ("ss-roo", "any"), ("dirichlet", "any"), ("subrr", "replace")],
)
@pytest.mark.parametrize("draws", [1, 100])
def test_a_draw_from_a_huge_domain_takes_little_memory(name, relation, draws):
    ranks = np.arange(SEEN, dtype=np.int64) * (K // SEEN) + 7
    counts = Counts.sparse(K, ranks, np.full(SEEN, 10**9, np.int64))
    tested = mechanism(name, 40, K, relation=relation, num_samples=draws)
    tested.draw(counts)  # builds the table, which is public and kept
    tracemalloc.start()
    drawn = tested.draw(counts)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000
    assert all(0 <= rank < K for rank in drawn)
    if draws == 1:
        # ε = 40 and 10^12 records against 10^12 values: obscured with probability below 10^-16.
        assert drawn[0] in set(ranks.tolist())
