"""The figures of the papers, measured anew with the mechanisms of this library.

Writes a picture and a table for each figure, then compares the measurements with what the
documentation claims; fails if a claim does. Needs the ``paper`` extra, no Spark. docs/paper.md shows the results.
The data are simulated from fixed seeds, so that the numbers can be had again; no release is made.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper import density, optimum, output_error, rates

if TYPE_CHECKING:
    from paper.study import Claim, Study

STUDIES: dict[str, Study[Any]] = {
    study.name: study for study in (output_error.STUDY, rates.RATES, rates.NEEDS, density.STUDY, optimum.STUDY)
}


def main() -> int:
    """Run the studies, print the claims; 1 if one fails."""
    parser = argparse.ArgumentParser(description="The figures of the papers, and whether the claims about them hold.")
    parser.add_argument("--output", type=Path, default=Path("build/paper"), help="folder (default: %(default)s)")
    parser.add_argument("--only", type=chosen, default=list(STUDIES), help=f"some of {','.join(STUDIES)}")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    claims: list[Claim] = []
    for number, name in enumerate(arguments.only, start=1):
        study = STUDIES[name]
        print(f"[{number}/{len(arguments.only)}] {study.title} …", flush=True)
        rows = study.run(arguments.output)
        print("".join(f"    {line}\n" for line in study.summary(rows)), end="")
        claims += study.check(rows)
        print(f"    {arguments.output / name}.png and .csv, {time.monotonic() - started:.0f} s so far", flush=True)
    print("\nClaims")
    for claim in claims:
        print(f"{'holds' if claim.holds else 'FAILS'}  {claim.text}: {claim.measured}")
    return 0 if all(claim.holds for claim in claims) else 1


def chosen(text: str) -> list[str]:
    """The names in a list with commas."""
    names = text.split(",")
    unknown = [name for name in names if name not in STUDIES]
    if unknown:
        raise argparse.ArgumentTypeError(f"no figure {', '.join(unknown)}: give some of {', '.join(STUDIES)}")
    return names


if __name__ == "__main__":
    sys.exit(main())
