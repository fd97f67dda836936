"""A picture of what barriers cost cores: ``python -m syncfabric.sim.figures.cores_plot FILE``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from syncfabric.models.errors import SyncfabricError
from syncfabric.sim.draw.canvas import GREY, PALE, format_of, picture, settings
from syncfabric.sim.draw.page import TOP, Page
from syncfabric.sim.figures.cores import HARDWARE, SIDE, SIZES, every_barrier
from syncfabric.sim.output import check_file, write_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["barriers_figure", "draw"]

WIDTH, LEFT, RIGHT, BELOW, HEIGHT = 7.6, 0.85, 1.35, 0.6, 3.6
"""In inches: the page's width, what is around the axes, and their height."""


def barriers_figure(cycles: Mapping[str, Sequence[float]], sizes: Sequence[int]) -> Figure:
    """Draw cycles a barrier over cores, a curve a kind; those in software are dashed.

    Parameters
    ----------
    cycles : mapping of str to sequence of float
        By the barrier's name, for each of the sizes.
    sizes : sequence of int
        Cores.
    """
    from matplotlib.ticker import NullFormatter, StrMethodFormatter

    with settings():
        page = Page(WIDTH, TOP + HEIGHT + BELOW)
        where = f"the first cores of a mesh {SIDE}x{SIDE}"
        line = f"{where}, all arriving together; mean, as programs see it"
        page.heading("Cycles that a barrier takes", line, WIDTH / 2, 0.3)
        across, up = (WIDTH - LEFT - RIGHT) / WIDTH, HEIGHT / page.height
        axes = page.figure.add_axes((LEFT / WIDTH, BELOW / page.height, across, up))
        for place, (barrier, took) in enumerate(cycles.items()):
            style = "o-" if barrier in HARDWARE else "s--"
            axes.plot(sizes, took, style, color=f"C{place}", ms=4, lw=1.3, clip_on=False)
            words, end = f"{barrier} {took[-1]:,.0f}", (sizes[-1], took[-1])
            axes.annotate(
                words,
                end,
                (7, 0),
                textcoords="offset points",
                va="center",
                size=8,
                color=f"C{place}",
            )
        axes.set_xscale("log", base=2)
        axes.set_xlim(right=sizes[-1])
        axes.set_yscale("log")
        axes.set_xticks(sizes, [str(size) for size in sizes])
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        axes.set_xlabel("cores", size=9)
        axes.set_ylabel("cycles, last arrival to last going on", size=9)
        axes.grid(color=PALE, lw=0.6)
        axes.tick_params(length=2, labelsize=8)
        for spine in axes.spines.values():
            spine.set_color(GREY)
            spine.set_linewidth(0.6)
        return page.figure


def draw(path: Path) -> None:
    """Measure, and draw into a file.

    Raises
    ------
    SyncfabricError
        The file cannot be written, or something that is needed is missing.
    """
    kind = format_of(path)
    check_file(path, "picture")
    write_file(path, picture(barriers_figure(dict(every_barrier()), SIZES), kind))


def main(words: Sequence[str]) -> int:
    """Draw into the file that is named; 2 if that cannot be."""
    parser = argparse.ArgumentParser(prog="cores_plot", description="Measure and draw.")
    parser.add_argument("file", type=Path, metavar="FILE", help=".svg or .png")
    try:
        draw(parser.parse_args(words).file)
    except SyncfabricError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
