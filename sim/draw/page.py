"""The page that every picture is drawn on: colours, sizes, headings, keys, files.

A page is a figure measured in inches from its top. Matplotlib is imported when a picture is made,
and never its global state: figures are plain objects with a canvas of their own, so nothing here
opens a window or changes a user's settings. The same input makes the same bytes.
"""

import io
import re
import textwrap
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from xml.sax.saxutils import escape

from syncfabric.models.errors import OutputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    """Sizes of a picture of one network."""

    width: float
    height: float
    """The network's, in hops, with half a hop around it."""
    side: float
    """Wanted length of the longer side, in inches."""
    least: float = 0.3
    """Least length of a hop, in inches: larger networks get larger pictures."""

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
    if kind != "svg":
        return file.getvalue()
    # For readers of screens, and as the name of a browser's tab.
    title = f"<title>{escape(_title(figure))}</title>".encode()
    return re.sub(rb"<svg [^>]*>", lambda head: head[0] + b"\n " + title, file.getvalue(), count=1)


def _title(figure: "Figure") -> str:
    """Return the heading of a figure, its highest bold words, in one line."""
    from matplotlib.text import Text

    def height(text: Text) -> tuple[bool, float]:
        place = text.get_transform().transform(text.get_position())
        return text.get_fontweight() == "bold", place[1]

    texts = [text for text in figure.findobj(Text) if text.get_text().strip()]
    return " ".join(max(texts, key=height).get_text().split()) if texts else ""


def to_svg(figure: "Figure") -> str:
    """Return a figure as SVG, for a notebook or a page."""
    return picture(figure, "svg").decode()


TOP = 0.84
"""Space for the page's title, in inches."""
KEY_LINE = 0.19


class Margins(NamedTuple):
    """Space around a network, in inches."""

    left: float
    right: float
    below: float


class Mark(NamedTuple):
    """An entry of a key: its colour, its words, and how it is drawn."""

    colour: str
    words: str
    shape: Literal["disc", "ring", "square"] = "disc"


class Page:
    """A figure under construction.

    Parameters
    ----------
    width, height : float
        In inches, without the key.
    key : sequence of Mark
        The key at the bottom.
    caption : str
        Words above the key.
    """

    def __init__(
        self, width: float, height: float, key: Sequence[Mark] = (), caption: str = ""
    ) -> None:
        from matplotlib.figure import Figure

        longest = max((len(mark.words) for mark in key), default=1)
        columns = max(1, min(len(key), int(width / (0.42 + longest * 0.062))))
        lines = -(-len(key) // columns)
        below = 0.3 + lines * KEY_LINE if key else 0.1
        words = textwrap.wrap(caption, int((width - 0.6) / 0.058))
        space = below + len(words) * KEY_LINE if key or words else 0.0
        self.width, self.height = width, height + space
        self.figure = Figure(figsize=(self.width, self.height))
        for place, line in enumerate(reversed(words)):
            bottom = (below + place * KEY_LINE) / self.height
            self.figure.text(0.3 / width, bottom, line, size=8, color=GREY, va="bottom")
        if key:
            self._write_key(key, columns)

    def axes(self, sheet: Sheet, margins: Margins, middle: float, top: float) -> "Axes":
        """Add axes for a network: horizontally around ``middle``, ``top`` inches from the top."""
        width, height = sheet.size
        left = middle - width / 2 + (margins.left - margins.right) / 2
        return self.box(left, top, width, height)

    def box(self, left: float, top: float, width: float, height: float) -> "Axes":
        """Add axes in a box, in inches from the left and from the top."""
        bottom = self.height - top - height
        return self.figure.add_axes(
            (left / self.width, bottom / self.height, width / self.width, height / self.height)
        )

    def plot(self, left: float, top: float, width: float, height: float) -> "Axes":
        """Add axes with a grid and a frame, for curves or bars."""
        axes = self.box(left, top, width, height)
        axes.grid(color=PALE, lw=0.6)
        axes.set_axisbelow(True)
        axes.tick_params(length=2, labelsize=8, labelcolor=INK)
        for spine in axes.spines.values():
            spine.set_color(GREY)
            spine.set_linewidth(0.6)
        return axes

    def text(self, words: str, middle: float, top: float, size: float, **style: Any) -> None:
        """Write a centred line, shrunk where the page is too narrow for it."""
        space = 2 * min(middle, self.width - middle) - 0.2
        letter = 0.66 if style.get("weight") == "bold" else 0.56
        fits = space * 72 / max(1, len(words)) / letter
        self.figure.text(
            middle / self.width,
            1 - top / self.height,
            words.encode(errors="replace").decode(),  # JSON can hold half a character
            ha="center",
            va="center",
            fontsize=min(size, fits),
            parse_math=False,  # names of networks and files are no formulas
            **style,
        )

    def heading(self, title: str, line: str, middle: float, top: float, size: float = 13) -> None:
        """Write a title and a grey line below it."""
        self.text(title, middle, top, size, weight="bold")
        self.text(line, middle, top + size * 0.0225, size * 0.66, color=GREY)

    def _write_key(self, key: Sequence[Mark], columns: int) -> None:
        from matplotlib.lines import Line2D

        handles = []
        for colour, words, shape in key:
            handle = Line2D([], [], ls="", marker="s" if shape == "square" else "o", ms=7, mew=0)
            handle.set(color=colour, label=words)
            if shape == "ring":
                handle.set(markerfacecolor=PAPER, markeredgewidth=1.2, markersize=6)
            handles.append(handle)
        self.figure.legend(
            handles=handles,
            loc="lower center",
            bbox_to_anchor=(0.5, 0.06 / self.height),
            ncols=columns,
            frameon=False,
            fontsize=8,
            handletextpad=0.1,
            columnspacing=1.2,
        )


def depth_key(height: int, *, others: str | None, shape: Literal["disc", "square"]) -> list[Mark]:
    """Return the key of a tree's colours; of deep trees some depths only.

    Parameters
    ----------
    height : int
        Of the highest tree.
    others : str or None
        Words for what is drawn pale, if something is.
    shape : {"disc", "square"}
        How a place in the tree is drawn.
    """
    colours = depth_colours(height)
    if height <= 7:
        depths = list(range(1, height + 1))
    else:
        depths = sorted({1 + round(step * (height - 1) / 5) for step in range(6)})
    entries = [Mark(ROOT, "root", shape)]
    entries += [Mark(colours[depth], f"depth {depth}", shape) for depth in depths]
    return entries + ([Mark(PALE, others, shape)] if others else [])
