"""``spark-dp plan``: what a release would be worth, before anything is spent."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from spark_dp.cli.options import AsJSON, RelationOption
from spark_dp.cli.output import print_json
from spark_dp.privacy import Relation


def plan(
    n: Annotated[
        int,
        typer.Option(
            "--n", metavar="ROWS", help="Public figure for the number of rows: an estimate, no private count."
        ),
    ],
    k: Annotated[int, typer.Option("--k", metavar="VALUES", help="Size of the public domain.")],
    eps: Annotated[str, typer.Option(metavar="EPS", help="Privacy loss bound of the release.")] = "1",
    num_samples: Annotated[int, typer.Option(metavar="T", help="Samples in the release.")] = 1,
    relation: RelationOption = Relation.ANY,
    distribution: Annotated[
        str | None,
        typer.Option(metavar="GUESS", help="Public guess of the values' distribution: uniform, zipf, or a JSON list."),
    ] = None,
    error: Annotated[
        str, typer.Option(metavar="TV", help="Total variation that the rows and samples needed are for.")
    ] = "0.05",
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Picture of the trade-off to write, such as plan.png.")
    ] = None,
    as_json: AsJSON = False,
) -> None:
    """Compare all methods for public parameters: how far a sample may lie from the rows, how many rows that takes.

    Needs no Spark and reads no data, so that it costs nothing. Error is total variation: the largest difference
    between the probability that a sample falls into any set of values and the share of rows there.

    Example: spark-dp plan --n 100000 --k 16 --eps 0.5 --num-samples 20 --distribution zipf
    """
    from spark_dp import pictures
    from spark_dp.planning import plan as planned

    if plot is not None:
        pictures.check_path(plot)
    made = planned(n, k, eps, num_samples, relation=relation, distribution=_guess(distribution), error=error)
    if plot is not None:
        pictures.save(made.plot(), plot)
    if as_json:
        asked = {"n": n, "k": k, "epsilon": str(made.epsilon), "num_samples": num_samples, "relation": relation.value}
        print_json({**asked, "error": float(made.error), "methods": [asdict(line) for line in made.lines]})
    else:
        typer.echo(str(made))


def _guess(text: str | None) -> Any:
    """A name, or the numbers of a JSON list."""
    if text is None or not text.lstrip().startswith("["):
        return text
    try:
        return json.loads(text, parse_float=str)
    except ValueError:
        return text
