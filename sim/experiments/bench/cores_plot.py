"""A picture of what barriers cost cores, into a file that is named.

python -m syncfabric.sim.experiments.bench.cores_plot FILE
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from syncfabric.models.errors import SyncfabricError
from syncfabric.sim.draw.canvas import format_of, picture, settings
from syncfabric.sim.draw.page import TOP, Page
from syncfabric.sim.draw.style import key, looks, scale
from syncfabric.sim.experiments.bench.cores import HARDWARE, SIDE, SIZES, every_barrier
from syncfabric.sim.output import check_file, write_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, LEFT, RIGHT, BELOW, HEIGHT = 7.9, 0.85, 1.75, 0.6, 3.6
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
    with settings():
        page = Page(WIDTH, TOP + HEIGHT + BELOW)
        where = f"first cores of a mesh {SIDE}x{SIDE}, all arriving together"
        line = f"{where}; mean, as programs see it; solid: in hardware, dashed: in software"
        page.heading("Cycles that a barrier takes", line, WIDTH / 2, 0.3)
        axes = page.plot(LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT)
        for (barrier, took), look in zip(cycles.items(), looks(cycles).values(), strict=True):
            drawn = look.line("solid" if barrier in HARDWARE else "dashed")
            axes.plot(sizes, took, label=f"{barrier} {took[-1]:,.0f}", **drawn)
        scale(axes, "x", "cores", 2)
        scale(axes, "y", "cycles, last arrival to last core that goes on", 10)
        axes.set_xlim(right=sizes[-1])
        axes.set_xticks(sizes)
        key(axes)
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
