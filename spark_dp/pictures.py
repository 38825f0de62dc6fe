"""How pictures look: one style, on a ground of its own, so that they are readable on light and dark pages."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_dp.errors import ArgumentError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The palette of Okabe and Ito, which readers with any kind of color vision can tell apart.
BLACK, ORANGE, SKY, GREEN, BLUE, VERMILION = "#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00"
PINK, GRAY = "#CC79A7", "#888888"

#: How each method is drawn, everywhere: color, marker, line.
LOOKS: dict[str, tuple[str, str, str]] = {
    "roo": (VERMILION, "s", "--"),
    "ds-roo": (ORANGE, "^", "-."),
    "ss-roo": (BLUE, "o", "-"),
    "subrr": (GRAY, "P", "-."),
    "dirichlet": (BLACK, "v", "--"),
    "smoothed-histogram": (PINK, "s", "-"),
    "perturbed-histogram": (GREEN, "^", "-"),
    "laplace-projection": (SKY, "D", ":"),
}

_STYLE: Any = {
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "text.color": "black",
    "axes.labelcolor": "black",
    "axes.edgecolor": "black",
    "xtick.color": "black",
    "ytick.color": "black",
    "font.size": 10,
    "legend.frameon": False,
    "legend.fontsize": 9,
}


def figure(panels: int, *, height: float = 3.8, same_height: bool = False) -> tuple[Figure, Sequence[Axes]]:
    """An empty picture of so many panels in a row, as wide as a notebook.

    Args:
        panels: how many.
        height: in inches; the width is 9.
        same_height: whether all panels have one vertical scale.

    Raises:
        ArgumentError: if matplotlib is not installed.
    """
    mpl = _matplotlib()
    # A figure of its own, not pyplot's: nothing is shown twice, and the caller's settings stay as they are.
    with mpl.rc_context(_STYLE):
        made = _shown()(figsize=(9.0, height), dpi=100, layout="constrained")
        axes = made.subplots(1, panels, squeeze=False, sharey=same_height)[0]
    return made, list(axes)


def _matplotlib() -> Any:
    try:
        import matplotlib as mpl
    except ModuleNotFoundError:
        raise ArgumentError("Pictures need matplotlib, which is not installed: pip install 'spark-dp[plot]'.") from None
    return mpl


@cache
def _shown() -> type[Figure]:
    """A figure that any notebook shows, whether or not pyplot was told to."""
    from matplotlib.figure import Figure

    class Picture(Figure):
        def _repr_png_(self) -> bytes:
            written = io.BytesIO()
            self.savefig(written, format="png")
            return written.getvalue()

    return Picture


def check_path(path: str | os.PathLike[str]) -> None:
    """Whether a picture can be written there, before what it shows takes its time.

    Raises:
        ArgumentError: if matplotlib or the folder is not there, or the path's ending tells no format of pictures.
    """
    _matplotlib()
    from matplotlib.backend_bases import FigureCanvasBase

    known = FigureCanvasBase.get_supported_filetypes()
    if _ending(path) not in known:
        raise ArgumentError(f"The picture {str(path)!r} has no known ending. Use one of {', '.join(sorted(known))}.")
    if not Path(path).absolute().parent.is_dir():
        raise ArgumentError(f"The picture cannot be written to {str(path)!r}: there is no such folder. Make it first.")


def save(picture: Figure, path: str | os.PathLike[str]) -> None:
    """Write a picture in the format that the path's ending tells: aside first, then renamed.

    Raises:
        ArgumentError: as :func:`check_path`, or if it cannot be written.
    """
    check_path(path)
    wanted = Path(path)
    aside = wanted.with_name(f".{wanted.name}.part")
    try:
        picture.savefig(aside, format=_ending(path), dpi=150)
        aside.replace(wanted)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise ArgumentError(f"The picture cannot be written to {str(path)!r}: {error.strerror}.") from None


def _ending(path: str | os.PathLike[str]) -> str:
    return Path(path).suffix.lstrip(".").lower()
