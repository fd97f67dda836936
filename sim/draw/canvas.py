"""The sheet that every picture is drawn on: colours, sizes, files.

Matplotlib is imported when a picture is made, and never its global state: figures are plain
objects with a canvas of their own, so nothing here opens a window or changes a user's settings.
The same input makes the same bytes.
"""

import io
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from syncfabric.models.errors import OutputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "FORMATS",
    "GREY",
    "INK",
    "PALE",
    "PAPER",
    "ROOT",
    "Sheet",
    "depth_colours",
    "format_of",
    "frame",
    "picture",
    "settings",
    "to_svg",
]

FORMATS = ("svg", "png")

INK, GREY, PALE, PAPER = "#1f2933", "#7b8794", "#d9dee4", "#ffffff"
ROOT = "#d1382c"

_SETTINGS = {
    "font.family": "DejaVu Sans",
    "svg.fonttype": "path",
    "svg.hashsalt": "syncfabric",
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
}


def settings() -> AbstractContextManager[None]:
    """Return a context in which matplotlib draws by this project's settings alone."""
    import matplotlib as mpl

    chosen: dict[Any, Any] = {**mpl.rcParamsDefault, **_SETTINGS}
    del chosen["backend"]  # the context would not give it back
    return mpl.rc_context(chosen)


def depth_colours(depth: int) -> list[str]:
    """Return a colour for each depth 0..``depth``: red for the root, then dark to light."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    scale = colormaps["viridis"]
    steps = max(1, depth - 1)
    return [ROOT, *(to_hex(scale(0.12 + 0.7 * step / steps)) for step in range(depth))]


@dataclass(frozen=True)
class Sheet:
    """Sizes of a picture of one network.

    Parameters
    ----------
    width, height : float
        The network's, in hops, with half a hop around it.
    side : float
        Wanted length of the longer side, in inches.
    least : float
        Least length of a hop, in inches: larger networks get larger pictures.
    """

    width: float
    height: float
    side: float
    least: float = 0.3

    @property
    def cell(self) -> float:
        """Length of a hop, in inches."""
        return min(1.15, max(self.least, self.side / max(self.width, self.height)))

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        return self.width * self.cell, self.height * self.cell

    def points(self, hops: float) -> float:
        """Return a length in points."""
        return hops * self.cell * 72


def frame(axes: "Axes", sheet: Sheet) -> None:
    """Set the limits of axes, (0, 0) half a hop within them, and take away their frame."""
    axes.set_xlim(-0.5, sheet.width - 0.5)
    axes.set_ylim(-0.5, sheet.height - 0.5)
    axes.set_aspect("equal")
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_xticks([])
    axes.set_yticks([])


def format_of(path: str | Path) -> str:
    """Return the format that a picture's file name asks for.

    Raises
    ------
    OutputError
        It ends in none of `FORMATS`.
    """
    kind = Path(path).suffix.removeprefix(".").lower()
    if kind not in FORMATS:
        raise OutputError(f"picture {path}: its name must end in .svg or .png")
    return kind


def picture(figure: "Figure", kind: str) -> bytes:
    """Return a figure as the bytes of an ``svg`` or a ``png`` file, the same every time."""
    file = io.BytesIO()
    metadata = {"Date": None, "Creator": None} if kind == "svg" else {"Software": None}
    with settings():
        figure.savefig(file, format=kind, dpi=144, metadata=metadata)
    return file.getvalue()


def to_svg(figure: "Figure") -> str:
    """Return a figure as SVG, for a notebook or a page."""
    return picture(figure, "svg").decode()
