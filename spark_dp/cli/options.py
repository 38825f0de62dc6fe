"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spark_dp.mechanisms import methods
from spark_dp.privacy import Relation

AsJSON = Annotated[bool, typer.Option("--json", help="As JSON, for programs.")]
LedgerPlace = Annotated[
    str,
    typer.Option("--ledger", envvar="SPARK_DP_LEDGER", help="File or database URL of the ledger.", show_default=False),
]
RelationOption = Annotated[Relation, typer.Option(help="What one person can change in the table.")]
Method = Annotated[
    str,
    typer.Option(
        metavar="METHOD",
        help=f"One of {', '.join(methods())}; `spark-dp plan` compares them.",
        autocompletion=lambda: list(methods()),
    ),
]
PolicyFile = Annotated[Path, typer.Argument(help="The policy, such as conf/privacy.yaml.", show_default=False)]
