"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

AsJSON = Annotated[bool, typer.Option("--json", help="As JSON, for programs.")]
LedgerPlace = Annotated[
    str,
    typer.Option("--ledger", envvar="SPARK_DP_LEDGER", help="File or database URL of the ledger.", show_default=False),
]
PolicyFile = Annotated[Path, typer.Argument(help="The policy, such as conf/privacy.yaml.", show_default=False)]
