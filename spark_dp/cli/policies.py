"""``spark-dp check`` and ``spark-dp schema``: policy files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spark_dp.cli.options import AsJSON, PolicyFile
from spark_dp.cli.output import print_json
from spark_dp.errors import PolicyError
from spark_dp.wording import numbered

if TYPE_CHECKING:
    from spark_dp.policy.model import Policy


def check(
    policy: PolicyFile,
    spark: Annotated[bool, typer.Option(help="Look whether the tables are there and the domains fit them.")] = True,
    as_json: AsJSON = False,
) -> None:
    """Check a policy file: every mistake in it, with its line and key.

    Starts Spark to find the tables and fit the domains to their columns; no private row is read. With --no-spark
    only the file itself is read. Ends with status 2 if there are mistakes.
    """
    try:
        found = _checked(policy, spark=spark)
    except PolicyError as error:
        if not as_json:
            raise
        print_json({"policy": str(policy), "mistakes": str(error).splitlines()})
        raise typer.Exit(2) from None
    datasets, columns = len(found.datasets), sum(len(dataset.columns) for dataset in found.datasets.values())
    if as_json:
        print_json({"policy": str(policy), "mistakes": [], "datasets": datasets, "columns": columns})
    else:
        typer.echo(f"{policy}: {numbered(datasets, 'dataset')}, {numbered(columns, 'column')}, no mistakes.")


def _checked(policy: Path, *, spark: bool) -> Policy:
    """The policy.

    Raises:
        PolicyError: for every mistake, on a line each.
    """
    from spark_dp.policy.loading import read_policy

    found, document = read_policy(policy)
    if spark:
        from spark_dp.policy.layer import problems
        from spark_dp.spark.session import session

        if told := problems(found, session("spark-dp check"), document):
            raise PolicyError("\n".join(told))
    return found


def schema() -> None:
    """Print the JSON Schema of policy files, with which editors check and complete them."""
    from spark_dp.policy.model import Policy

    print_json(Policy.model_json_schema())
