r"""Release a private sample of one or several columns of a table.

    spark-submit jobs/dp_sample.py --input flights.parquet --column carrier \
        --domain airlines.parquet --eps 1 --num-samples 10 --output sample.parquet

Exit status: 0 if the sample was written; 2 if the call cannot be answered (nothing was read);
1 if Spark failed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from decimal import Decimal
from pathlib import PurePosixPath
from typing import NoReturn

from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType

import spark_dp as dp
from spark_dp.domain import from_json
from spark_dp.errors import ArgumentError, SparkDPError
from spark_dp.mechanisms.base import MAX_DRAWS
from spark_dp.spark.columns import quoted

FORMATS = ("parquet", "csv", "json", "orc")
SHOWN = 20


class Parser(argparse.ArgumentParser):
    """A parser whose errors take one line."""

    def error(self, message: str) -> NoReturn:
        """Exit with status 2 and the message alone; --help has the rest."""
        self.exit(2, f"{self.prog}: error: {message} (see --help)\n")


def parser() -> Parser:
    """The command line."""
    parsed = Parser(
        prog="dp_sample",
        description="Release a differentially private sample of columns of a table.",
        epilog="A table is a path whose ending tells its format (a folder without one is Parquet), or a catalog name.",
    )
    add = parsed.add_argument
    add(
        "--input",
        required=True,
        metavar="TABLE",
        help="the private table, one row for each person without --privacy-unit",
    )
    add("--format", choices=(*FORMATS, "table"), help="format of --input, if its ending does not tell")
    add("--schema", metavar="DDL", help="columns and types of a CSV or JSON input, such as 'code string, year int'")
    add("--column", required=True, action="append", metavar="NAME", help="column to sample; repeat to sample jointly")
    add(
        "--domain",
        action="append",
        metavar="DOMAIN",
        help="public values of the column, in the order of --column: a table with a column of that name, TABLE#OTHER "
        "for another column of it, a JSON list, or the JSON of Bins, Integers or Dates. Without one: the declared "
        "domain, or false and true",
    )
    add(
        "--by", action="append", metavar="NAME", help="column whose values make groups, each sampled on its own; repeat"
    )
    add("--by-domain", action="append", metavar="DOMAIN", help="public values of the --by columns, as --domain")
    add("--privacy-unit", metavar="NAME", help="column that tells whose a row is (default: each row is another person)")
    add("--eps", required=True, metavar="EPS", help="privacy loss bound of the whole release, such as 0.5")
    add("--method", default="auto", help=f"one of {', '.join(dp.methods())} (default: %(default)s)")
    add("--num-samples", type=int, default=1, metavar="T", help="samples to draw, in each group (default: %(default)s)")
    add("--relation", default="any", help="any, replace or add-remove (default: %(default)s)")
    add("--output", required=True, metavar="PATH", help="where to write; must not exist")
    add("--output-format", choices=("parquet", "csv"), help="format of --output, if its ending does not tell")
    return parsed


def main(argv: Sequence[str] | None = None) -> int:
    """Run the job; the exit status comes back."""
    arguments = parser().parse_args(argv)
    try:
        # With a domain of one value: everything but the domain is checked before Spark starts.
        dp.mechanism(arguments.method, arguments.eps, 1, relation=arguments.relation, num_samples=arguments.num_samples)
        spark = SparkSession.builder.appName("dp_sample").getOrCreate()
        release(spark, arguments)
    except (ArgumentError, AnalysisException) as error:
        return failed(2, str(error))
    except (SparkDPError, PySparkException) as error:
        return failed(1, str(error))
    return 0


def failed(status: int, message: str) -> int:
    """Tell on one line why the job ends."""
    print(f"dp_sample: error: {message.strip().splitlines()[0]}", file=sys.stderr)
    return status


def release(spark: SparkSession, arguments: argparse.Namespace) -> None:
    """Sample, write, report."""
    output_format = arguments.output_format or table_format(arguments.output, otherwise="parquet")
    table = read(spark, arguments.input, arguments.format, arguments.schema)
    check_output(spark, arguments.output, output_format, table, [*arguments.column, *(arguments.by or ())])
    domain = domains(spark, ("column", "domain"), arguments.column, arguments.domain)
    if arguments.by:
        groups = domains(spark, ("by", "by-domain"), arguments.by, arguments.by_domain) or {}
        domain = {**groups, **(domain or {})} or None
    print(f"Sampling {', '.join(arguments.column)} of {arguments.input} on Spark …", flush=True)
    started = time.monotonic()
    sample = dp.dp_sample(
        table,
        arguments.column,
        arguments.eps,
        arguments.method,
        domain=domain,
        num_samples=arguments.num_samples,
        relation=arguments.relation,
        privacy_unit=arguments.privacy_unit,
        by=arguments.by,
    )
    print(f"Drawn after {time.monotonic() - started:.1f} s. Writing …", flush=True)
    # One file, which appears by one rename when Spark commits the job: no reader sees half of it. More rows than
    # the driver makes go into several, which are complete when _SUCCESS is there.
    pieces = sample if arguments.num_samples > MAX_DRAWS else sample.coalesce(1)
    pieces.write.mode("error").format(output_format).option("header", value=True).save(arguments.output)
    report(sample, arguments)


def table_format(name: str, *, otherwise: str) -> str:
    """The format that a path's ending tells."""
    ending = PurePosixPath(name).suffix.lstrip(".").lower()
    return ending if ending in FORMATS else otherwise


def read(spark: SparkSession, name: str, given: str | None = None, schema: str | None = None) -> DataFrame:
    """A table by path or catalog name, without a look at its rows."""
    chosen = given or table_format(name, otherwise="parquet" if "/" in name else "table")
    if chosen == "table":
        return spark.read.table(name)
    if chosen == "json" and schema is None:
        # Inferring it would read the rows, and what type a column has would depend on them.
        raise ArgumentError(f"The JSON table {name!r} needs a schema: give --schema 'name type, ...'.")
    reader = spark.read.format(chosen)
    if chosen == "csv":
        reader = reader.option("header", value=True).option("enforceSchema", value=False)
    return (reader.schema(schema) if schema else reader).load(name)


def domains(
    spark: SparkSession, options: tuple[str, str], columns: Sequence[str], given: Sequence[str] | None
) -> dict[str, object] | None:
    """The domain of each column, by its name."""
    if given is None:
        return None
    if len(given) != len(columns):
        raise ArgumentError(
            f"There are {len(columns)} --{options[0]} and {len(given)} --{options[1]}: give one domain for each "
            "column, or none."
        )
    return {column: domain(spark, column, text) for column, text in zip(columns, given, strict=True)}


def domain(spark: SparkSession, column: str, text: str) -> object:
    """A JSON list, the JSON of a domain, or the column of a public reference table."""
    if text.lstrip().startswith("{"):
        return from_json(text)
    if text.lstrip().startswith("["):
        try:
            return json.loads(text, parse_float=Decimal)
        except ValueError as error:
            raise ArgumentError(f"--domain {text!r} is no JSON list: {error}.") from None
    name, _, other = text.partition("#")
    if table_format(name, otherwise="") == "json":
        raise ArgumentError(f"The domain table {name!r} is JSON, which has no fixed types: save it as Parquet or CSV.")
    table = read(spark, name)
    if not other:
        return table
    if other not in table.columns:
        raise ArgumentError(f"The domain table {name!r} has no column {other!r} but {table.columns}.")
    return table.select(F.col(quoted(other)).alias(column))


def check_output(spark: SparkSession, path: str, output_format: str, table: DataFrame, columns: Sequence[str]) -> None:
    """Refuse what could not be written, while nothing has been read yet."""
    try:
        # Twice, since Spark logs a stack trace if a single path is missing; Connect looks when asked for the schema.
        _ = spark.read.format("binaryFile").load([path, path]).schema
    except AnalysisException as error:
        if "PATH_NOT_FOUND" not in str(error):
            raise
    else:
        raise ArgumentError(f"The output {path!r} exists already. Choose another path, or remove it.")
    binary = [field.name for field in table.schema if field.name in columns and isinstance(field.dataType, BinaryType)]
    if output_format == "csv" and binary:
        raise ArgumentError(f"CSV cannot hold the binary column {binary[0]!r}: write Parquet instead.")


def report(sample: DataFrame, arguments: argparse.Namespace) -> None:
    """What was released, what it promises, and what stays private. The sample itself is no secret."""
    record = sample.schema[arguments.column[0]].metadata["spark_dp"]
    entry = dp.Entry.read(record)
    rows = sample.limit(SHOWN).collect()
    shown = [str(row[0]) if len(row) == 1 else str(tuple(row)) for row in rows]
    records = "rows" if entry.privacy_unit is None else f"values of {entry.privacy_unit}"
    released = sample.count() if entry.by else entry.num_samples
    rest = f", … ({released - SHOWN:,} more)" if released > SHOWN else ""
    if entry.by:
        print(f"Groups     by {', '.join(entry.by)}")
    print(f"Sample     {', '.join(shown)}{rest}")
    print(f"Guarantee  {entry.guarantee.in_words()}")
    print(
        f"Public     the domain of {entry.k:,} values, method {entry.method}, eps {entry.epsilon}, relation "
        f"{entry.relation}, num_samples {entry.num_samples}"
        + (f", the number of {records}" if entry.relation == "replace" else "")
    )
    private = "every row, every count, " + ("" if entry.relation == "replace" else f"the number of {records}, ")
    print(f"Private    {private}and whether a draw revealed a row or obscured it")
    print(f"Output     {arguments.output}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
