"""The sheet that every picture is drawn on: colours, sizes, the mesh beneath, files.

Matplotlib is imported when a picture is made, and never its global state: figures are plain
objects with a canvas of their own, so nothing here opens a window or changes a user's settings.
The same input makes the same bytes.
"""

import io
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from syncfabric.models.errors import OutputError
from syncfabric.models.networks.mesh import Mesh

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "FORMATS",
    "INK",
    "LARGEST",
    "PALE",
    "ROOT",
    "Sheet",
    "check_picture",
    "depth_colours",
    "draw_mesh",
    "picture",
    "settings",
    "show",
    "to_svg",
]

FORMATS = ("svg", "png")
LARGEST = 64
"""Most nodes along a side that a picture shows."""

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
    """Sizes of a picture of one mesh, in inches.

    Parameters
    ----------
    mesh : Mesh
    side : float
        Wanted length of the mesh's longer side.
    """

    mesh: Mesh
    side: float = 6.4

    @property
    def cell(self) -> float:
        """Length of a hop."""
        return min(1.15, max(0.3, self.side / max(self.mesh.width, self.mesh.height)))

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the mesh with half a hop around it."""
        return self.mesh.width * self.cell, self.mesh.height * self.cell

    def points(self, hops: float) -> float:
        """Return a length in points."""
        return hops * self.cell * 72


def draw_mesh(axes: "Axes", sheet: Sheet, *, links: bool = True) -> None:
    """Draw links and routers in pale grey, and number columns and rows at the rim."""
    from matplotlib.collections import LineCollection

    mesh, cell = sheet.mesh, sheet.points(1)
    if links:
        lines = [[(0, y), (mesh.width - 1, y)] for y in range(mesh.height)]
        lines += [[(x, 0), (x, mesh.height - 1)] for x in range(mesh.width)]
        axes.add_collection(LineCollection(lines, colors=PALE, linewidths=cell * 0.025, zorder=1))
        x, y = zip(*mesh.nodes, strict=True)
        axes.scatter(x, y, s=(cell * 0.12) ** 2, color=PALE, linewidths=0, zorder=2)
    axes.set_xlim(-0.5, mesh.width - 0.5)
    axes.set_ylim(-0.5, mesh.height - 0.5)
    axes.set_aspect("equal")
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(length=0, labelsize=max(5.0, min(9.0, cell * 0.24)), pad=2)
    step = 1 if cell >= 17 else 4
    axes.set_xticks(range(0, mesh.width, step))
    axes.set_yticks(range(0, mesh.height, step))


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


def check_picture(path: str | Path, mesh: Mesh) -> str:
    """Return the format that a picture's file name asks for.

    Raises
    ------
    OutputError
        The name ends otherwise, or the mesh is larger than a picture can show.
    """
    kind = Path(path).suffix.removeprefix(".").lower()
    if kind not in FORMATS:
        raise OutputError(f"picture {path}: its name must end in .svg or .png")
    if max(mesh.width, mesh.height) > LARGEST:
        raise OutputError(
            f"picture {path}: a {mesh} is too large to draw; "
            f"pictures go up to {LARGEST}x{LARGEST}, so leave the picture out"
        )
    return kind


def show(mesh: Mesh, make: Callable[[], "Figure"]) -> str | None:
    """Return a figure as SVG for a notebook; None where the mesh is too large to draw."""
    return to_svg(make()) if max(mesh.width, mesh.height) <= LARGEST else None
