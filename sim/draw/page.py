"""A page: a figure measured in inches from its top, with headings, meshes and a key."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from syncfabric.sim.draw.canvas import GREY, PALE, ROOT, Sheet, depth_colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LEFT", "NUMBERS", "RIGHT", "TOP", "Page", "count", "depth_key"]

LEFT, RIGHT = 0.42, 0.2
"""Room beside a mesh for its row numbers, in inches."""
TOP = 0.84
"""Room for the page's title, in inches."""
NUMBERS = 0.34
"""Room for column numbers below a mesh."""
KEY_LINE = 0.19


def count(number: int, thing: str) -> str:
    """Return ``1 member`` or ``14 members``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


class Page:
    """A figure under construction.

    Parameters
    ----------
    width, height : float
        In inches, without the key.
    key : sequence of (str, str)
        Colour and words of each entry of the key at the bottom.
    """

    def __init__(self, width: float, height: float, key: Sequence[tuple[str, str]] = ()) -> None:
        from matplotlib.figure import Figure

        longest = max((len(words) for _, words in key), default=1)
        columns = max(1, min(len(key), int(width / (0.42 + longest * 0.062))))
        lines = -(-len(key) // columns)
        self.width, self.height = width, height + (0.3 + lines * KEY_LINE if key else 0.0)
        self.figure = Figure(figsize=(self.width, self.height))
        if key:
            self._write_key(key, columns)

    def mesh(self, sheet: Sheet, middle: float, top: float) -> "Axes":
        """Add axes for a mesh: horizontally around ``middle``, ``top`` inches from the top."""
        width, height = sheet.size
        left = middle - width / 2 + (LEFT - RIGHT) / 2
        bottom = self.height - top - height
        return self.figure.add_axes(
            (left / self.width, bottom / self.height, width / self.width, height / self.height)
        )

    def text(self, words: str, middle: float, top: float, size: float, **style: Any) -> None:
        """Write a centred line, shrunk where the page is too narrow for it."""
        room = 2 * min(middle, self.width - middle) - 0.2
        fits = room * 72 / max(1, len(words)) / 0.56
        self.figure.text(
            middle / self.width,
            1 - top / self.height,
            words,
            ha="center",
            va="center",
            fontsize=min(size, fits),
            **style,
        )

    def heading(self, title: str, line: str, middle: float, top: float, size: float = 13) -> None:
        """Write a title and a grey line below it."""
        self.text(title, middle, top, size, weight="bold")
        self.text(line, middle, top + size * 0.0225, size * 0.66, color=GREY)

    def _write_key(self, key: Sequence[tuple[str, str]], columns: int) -> None:
        from matplotlib.lines import Line2D

        handles = [
            Line2D([], [], ls="", marker="o", ms=7, mew=0, color=colour, label=words)
            for colour, words in key
        ]
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


def depth_key(height: int, *, others: bool) -> list[tuple[str, str]]:
    """Return the key of a tree's colours; of deep trees some depths only."""
    colours = depth_colours(height)
    if height <= 7:
        depths = list(range(1, height + 1))
    else:
        depths = sorted({1 + round(step * (height - 1) / 5) for step in range(6)})
    entries = [(ROOT, "root"), *((colours[depth], f"depth {depth}") for depth in depths)]
    return entries + ([(PALE, "not a member")] if others else [])
