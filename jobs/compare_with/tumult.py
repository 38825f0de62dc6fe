"""Tumult Analytics' line: noisy counts of a key set, whoever is added or removed has one row."""

from __future__ import annotations

from collections.abc import Mapping

from rounds import EPSILON, Release, Task, compare
from tmlt.analytics import AddOneRow, KeySet, PureDPBudget, QueryBuilder, Session

SOURCE = "people"


def prepared(task: Task) -> Release:
    """A session and its only query, as one release needs them: a spent budget buys no second one."""

    def release() -> Mapping[str, float]:
        budget = PureDPBudget(EPSILON)
        session = Session.from_dataframe(budget, SOURCE, task.table, AddOneRow())
        keys = KeySet.from_dict({"value": list(task.domain)})
        # Drawn once: the noisy counts are written to Spark's warehouse, where they stay until the program ends.
        counts = session.evaluate(QueryBuilder(SOURCE).groupby(keys).count(), budget)
        return {row["value"]: row["count"] for row in counts.collect()}

    return release


if __name__ == "__main__":
    compare("tmlt.analytics", prepared)
