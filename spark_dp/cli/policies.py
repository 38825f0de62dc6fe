"""``spark-dp check`` and ``spark-dp schema``: policy files."""

from __future__ import annotations

from typing import Annotated

import typer

from spark_dp.cli.options import PolicyFile
from spark_dp.cli.output import numbered, print_json
from spark_dp.errors import PolicyError


def check(
    policy: PolicyFile,
    spark: Annotated[bool, typer.Option(help="Look whether the tables are there and the domains fit them.")] = True,
) -> None:
    """Check a policy file: every mistake in it, with its line and key.

    Starts Spark to find the tables and fit the domains to their columns; no private row is read. With --no-spark
    only the file itself is read.
    """
    from spark_dp.policy.loading import read_policy

    found, document = read_policy(policy)
    if spark:
        from spark_dp.policy.layer import problems
        from spark_dp.spark.session import session

        told = problems(found, session("spark-dp check"), document)
        if told:
            raise PolicyError("\n".join(told))
    columns = sum(len(dataset.columns) for dataset in found.datasets.values())
    typer.echo(f"{policy}: {numbered(len(found.datasets), 'dataset')}, {numbered(columns, 'column')}, no mistakes.")


def schema() -> None:
    """Print the JSON Schema of policy files, with which editors check and complete them."""
    from spark_dp.policy.model import Policy

    print_json(Policy.model_json_schema())
