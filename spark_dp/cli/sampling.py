"""``spark-dp sample`` and ``spark-dp histogram``: one release of one table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spark_dp.cli.options import AsJSON, Method, RelationOption
from spark_dp.cli.output import print_json, tell
from spark_dp.errors import ArgumentError, OutputError
from spark_dp.mechanisms import mechanism
from spark_dp.mechanisms.base import MAX_DRAWS
from spark_dp.privacy import Relation
from spark_dp.reporting import SHOWN_ROWS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_dp.budget import Budget

#: So many rows fit a terminal, or a document.
MOST_PRINTED, MOST_JSON = 1_000, 100_000

Input = Annotated[
    str,
    typer.Option(
        "--input",
        metavar="TABLE",
        show_default=False,
        help="The private table, one row for each person without --privacy-unit: a path whose ending tells its format "
        "(a folder without one is Parquet), or a catalog name.",
    ),
]
Format = Annotated[
    str | None, typer.Option("--format", help="parquet, csv, json, orc, delta or table, if the name does not tell.")
]
Schema = Annotated[
    str | None, typer.Option(metavar="DDL", help="Columns of a CSV or JSON input, such as 'code string, year int'.")
]
Columns = Annotated[
    list[str],
    typer.Option("--column", metavar="NAME", help="Column; repeat to take several jointly.", show_default=False),
]
Domains = Annotated[
    list[str],
    typer.Option(
        "--domain",
        metavar="DOMAIN",
        help="Public values of the column, in the order of --column: a table with a column of that name, TABLE#OTHER "
        "for another column of it, a JSON list, or the JSON of Bins, Integers or Dates. Without one: the declared "
        "domain, or false and true.",
    ),
]
Eps = Annotated[
    str, typer.Option(metavar="EPS", help="Privacy loss bound of the whole release, such as 0.5.", show_default=False)
]
Unit = Annotated[
    str | None, typer.Option(metavar="NAME", help="Column that tells whose a row is; without it each row is a person.")
]
Output = Annotated[
    str | None,
    typer.Option(metavar="PATH", help="Where to write, Parquet or .csv; must not exist. Else it is printed."),
]
OutputFormat = Annotated[str | None, typer.Option(help="parquet or csv, if the ending of --output does not tell.")]
LedgerOption = Annotated[
    str | None, typer.Option(envvar="SPARK_DP_LEDGER", help="File or database URL of the ledger that keeps --budget.")
]
BudgetOption = Annotated[str | None, typer.Option("--budget", metavar="NAME", help="Budget to charge, of the ledger.")]
Total = Annotated[str | None, typer.Option(metavar="EPS", help="What the budget allows in all, where it is new.")]
ReleaseId = Annotated[
    str | None, typer.Option(metavar="ID", help="Name under which the release is drawn once and remembered.")
]


def sample(
    table: Input,
    eps: Eps,
    column: Columns,
    domain: Domains = [],  # noqa: B006 — typer makes a list of its own
    method: Method = "auto",
    num_samples: Annotated[int, typer.Option(metavar="T", help="Samples to draw, in each group.")] = 1,
    relation: RelationOption = Relation.ANY,
    privacy_unit: Unit = None,
    by: Annotated[
        list[str],
        typer.Option(metavar="NAME", help="Column whose values make groups, each sampled on its own; repeat."),
    ] = [],  # noqa: B006
    by_domain: Annotated[
        list[str], typer.Option(metavar="DOMAIN", help="Public values of the --by columns, as --domain.")
    ] = [],  # noqa: B006
    ledger: LedgerOption = None,
    budget: BudgetOption = None,
    total: Total = None,
    release_id: ReleaseId = None,
    format_: Format = None,
    schema: Schema = None,
    output: Output = None,
    output_format: OutputFormat = None,
    as_json: AsJSON = False,
) -> None:
    """Draw a differentially private sample of columns of a table.

    The values come from a public domain and are drawn once; what is printed or written may leave the house.

    Example: spark-dp sample --input flights.parquet --column carrier --domain airlines.parquet --eps 1 --num-samples 10
    """
    # With a domain of one value: everything but the domain is checked before Spark starts.
    mechanism(method, eps, 1, relation=relation, num_samples=num_samples)
    _check_printable(num_samples, output, as_json=as_json)
    _check_budget(ledger, budget, total)

    import spark_dp as dp
    from spark_dp.spark.session import session
    from spark_dp.spark.texts import read_domains, read_table

    spark = session("spark-dp sample")
    rows = read_table(spark, table, format_, schema)
    domains = read_domains(rows, ("--column", "--domain"), column, domain)
    domains |= read_domains(rows, ("--by", "--by-domain"), by, by_domain)
    _check_output(spark, output, output_format, rows, [*column, *by])
    tell(f"Sampling {', '.join(column)} of {table} on Spark …")
    drawn = dp.dp_sample(
        rows,
        column,
        eps,
        method,
        domain=domains or None,
        num_samples=num_samples,
        relation=relation,
        privacy_unit=privacy_unit,
        by=by or None,
        budget=_budget(ledger, budget, total),
        release_id=release_id,
    )
    _deliver(drawn, domains, output, output_format, as_json=as_json)


def histogram(
    table: Input,
    eps: Eps,
    column: Columns,
    domain: Domains = [],  # noqa: B006
    relation: RelationOption = Relation.ANY,
    privacy_unit: Unit = None,
    ledger: LedgerOption = None,
    budget: BudgetOption = None,
    total: Total = None,
    release_id: ReleaseId = None,
    format_: Format = None,
    schema: Schema = None,
    output: Output = None,
    output_format: OutputFormat = None,
    as_json: AsJSON = False,
) -> None:
    """Count all values of columns of a table, with noise that makes the counts private.

    Every value of the public domain has its noisy count, also those that no row holds.

    Example: spark-dp histogram --input flights.parquet --column carrier --domain airlines.parquet --eps 1
    """
    mechanism("perturbed-histogram", eps, 1, relation=relation)
    _check_budget(ledger, budget, total)

    import spark_dp as dp
    from spark_dp.spark.session import session
    from spark_dp.spark.texts import read_domains, read_table

    spark = session("spark-dp histogram")
    rows = read_table(spark, table, format_, schema)
    domains = read_domains(rows, ("--column", "--domain"), column, domain)
    _check_output(spark, output, output_format, rows, column)
    tell(f"Counting {', '.join(column)} of {table} on Spark …")
    counted = dp.dp_histogram(
        rows,
        column,
        eps,
        domain=domains or None,
        relation=relation,
        privacy_unit=privacy_unit,
        budget=_budget(ledger, budget, total),
        release_id=release_id,
    )
    _deliver(counted, domains, output, output_format, as_json=as_json)


def _check_printable(num_samples: int, output: str | None, *, as_json: bool) -> None:
    most = MOST_JSON if as_json else MOST_PRINTED
    if output is None and num_samples > most:
        raise ArgumentError(
            f"{num_samples:,} samples are more than the {most:,} that are printed. Say where to write them: --output."
        )


def _check_budget(ledger: str | None, name: str | None, total: str | None) -> None:
    if name is None and total is not None:
        raise ArgumentError("--total belongs to a budget: name it with --budget.")
    if name is not None and ledger is None:
        raise ArgumentError(
            "--budget needs the ledger that keeps it: give --ledger, such as ledger.db, or set SPARK_DP_LEDGER."
        )


def _budget(ledger: str | None, name: str | None, total: str | None) -> Budget | None:
    """The budget to charge, if one is named."""
    if name is None or ledger is None:
        return None
    from spark_dp.budget.ledger import Ledger

    return Ledger(ledger, create=total is not None).budget(name, total=total)


def _check_output(
    spark: SparkSession, output: str | None, kind: str | None, rows: DataFrame, columns: Sequence[str]
) -> None:
    from spark_dp.spark.writing import check_output

    if output is not None:
        check_output(spark, output, _output_format(output, kind), rows, list(columns))


def _output_format(output: str, kind: str | None) -> str:
    from spark_dp.spark.texts import table_format

    return kind or table_format(output, otherwise="parquet")


def _deliver(
    released: DataFrame, domains: dict[str, Any], output: str | None, kind: str | None, *, as_json: bool
) -> None:
    """Write it if it should be, and tell what it is.

    What was drawn has cost its ε: where it cannot be written it is printed, unless it is too long for that.

    Raises:
        OutputError: if it cannot be written; after it was printed.
    """
    from spark_dp.spark.reports import record_of
    from spark_dp.spark.writing import write_files

    if output is None:
        _print(released, domains, None, as_json=as_json)
        return
    tell("Writing …")
    try:
        write_files(released, output, _output_format(output, kind))
    except OutputError:
        if record_of(released).num_samples <= MOST_JSON:
            _print(released, domains, None, as_json=as_json)
        raise
    _print(released, domains, output, as_json=as_json)


def _print(released: DataFrame, domains: dict[str, Any], output: str | None, *, as_json: bool) -> None:
    """The release in words or as JSON; with all its rows, unless they are written elsewhere."""
    from spark_dp.spark.reports import json_rows, report

    if as_json:
        told = report(released, None, shown=0)
        rows = {"rows": [json.loads(row) for row in json_rows(released)]} if output is None else {}
        release = {"release": told.entry.record(), "guarantee": told.guarantee.in_words(), "output": output}
        print_json(release | rows)
        return
    typer.echo(str(report(released, domains or None, shown=MAX_DRAWS if output is None else SHOWN_ROWS)))
    if output is not None:
        typer.echo(f"Output:    {output}")
