"""What a release costs after Spark has counted: draws from a huge domain, and tables before the first row is read.

No Spark: the counts are made here. Milliseconds are medians of one run on this machine, megabytes the
peak that Python allocates.
"""

from __future__ import annotations

import statistics
import time
import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np

import spark_dp as dp
from spark_dp.mechanisms import ss_roo

K = 10**12
SEEN = 1000
ROUNDS = 25

#: Method, relation, draws.
DRAWS = (
    *((name, "any", 1) for name in ("roo", "ds-roo", "ss-roo", "dirichlet")),
    *(("subrr", "replace", 1), ("ss-roo", "replace", 1)),
    *(
        ("roo", "any", 100_000),
        ("dirichlet", "any", 100_000),
        ("ss-roo", "any", 100_000),
        ("subrr", "replace", 100_000),
    ),
)

#: ε, draws: c* of 2,000 and of about 100,000, for one draw and for several.
TABLES = (("0.0005", 1), ("0.00001", 1), ("0.1", 210), ("0.1", 10_000))


def main() -> None:
    """Time both and print."""
    print(f"spark_dp {dp.__version__}: {SEEN:,} values seen of {K:,}")
    print(f"{'method':<14}{'relation':<12}{'draws':>9}{'ms':>9}{'MB':>8}")
    generator = np.random.default_rng(1)
    ranks = np.sort(generator.choice(K // SEEN, SEEN, replace=False).astype(np.int64)) * SEEN
    counts = dp.Counts.sparse(K, ranks, generator.integers(1, 10**6, SEEN))
    for name, relation, draws in DRAWS:
        mechanism = dp.mechanism(name, 1, K, relation=relation, num_samples=draws)
        mechanism.draw(counts)  # builds the table, timed below
        ms = milliseconds(partial(mechanism.draw, counts), ROUNDS if draws == 1 else 3)
        tracemalloc.start()
        mechanism.draw(counts)
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        print(f"{name:<14}{relation:<12}{draws:>9,}{ms:>9.2f}{peak:>8.2f}", flush=True)
    print(f"\n{'ss-roo table':<14}{'k':<12}{'draws':>9}{'ms':>9}{'c*':>12}")
    for eps, draws in TABLES:
        for k in (2, 9, K):
            ms = milliseconds(partial(built, eps, draws, k), 3)
            print(f"{'eps ' + eps:<14}{k:<12.0g}{draws:>9,}{ms:>9.0f}{built(eps, draws, k):>12,}", flush=True)


def built(eps: str, draws: int, k: int) -> int:
    """Build and certify a table anew."""
    ss_roo._envelope.cache_clear()  # noqa: SLF001 — what is timed must not be kept
    mechanism = ss_roo.SsRoo(dp.Epsilon.parse(eps), k, num_samples=draws)
    return mechanism.envelope.exact_from


def milliseconds(call: Callable[[], object], rounds: int) -> float:
    """Median duration of a call."""
    durations = []
    for _ in range(rounds):
        started = time.perf_counter()
        call()
        durations.append(time.perf_counter() - started)
    return 1000 * statistics.median(durations)


if __name__ == "__main__":
    main()
