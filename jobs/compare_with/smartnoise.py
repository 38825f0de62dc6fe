"""SmartNoise SQL's line: a private GROUP BY through its Spark reader, one row for each person.

SmartNoise takes no public values: with censor_dims off it shows whatever values the table has, which is
private only because here everybody knows that all of them occur.
"""

from __future__ import annotations

from collections.abc import Mapping

from rounds import EPSILON, Release, Task, compare
from snsql import Privacy, from_connection

TABLE = {"row_privacy": True, "censor_dims": False, "clamp_counts": False, "value": {"type": "string"}}
METADATA = {"": {"dbo": {"people": TABLE}}}
QUERY = "SELECT value, COUNT(*) AS n FROM dbo.people GROUP BY value"


def prepared(task: Task) -> Release:
    """The query, by a reader of its own for each release."""
    task.table.createOrReplaceTempView("people")

    def release() -> Mapping[str, float]:
        privacy = Privacy(epsilon=EPSILON)
        reader = from_connection(task.spark, privacy=privacy, metadata=METADATA, engine="spark")
        # Collected once, which is no matter of course: what comes back is lazy and draws its noise again at each
        # collect or show (and twice before, to see whether it is empty and of which types), for one ε.
        return {row["value"]: row["n"] for row in reader.execute(QUERY).collect()}

    return release


if __name__ == "__main__":
    compare("smartnoise-sql", prepared)
