"""The load of every channel over the mesh."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from syncfabric.models.networks.mesh import STEP, Mesh, Port
from syncfabric.sim.draw.canvas import INK, Sheet, draw_mesh, settings
from syncfabric.sim.draw.page import LEFT, RIGHT, TOP, Page
from syncfabric.sim.results import ChannelLoad

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["heat_figure"]

SCALE = ("#e6eaee", "#fbd58f", "#f08a24", "#c4341f", "#5c0a16")
"""Idle to full."""
AWAY = 0.085
"""Distance of a channel from the line between its routers, in hops: traffic keeps right."""
NODE = 0.2
"""Half the side of a router's square, in hops."""

Shape = list[tuple[float, float]]


def heat_figure(
    mesh: Mesh, loads: Iterable[ChannelLoad], *, title: str, line: str = ""
) -> "Figure":
    """Draw how busy each directed channel was.

    Between routers an arrow for each direction, keeping right; inside a router's square on the
    left what its node sends in (``inject``), on the right what it receives (``local``).

    Parameters
    ----------
    mesh : Mesh
    loads : iterable of ChannelLoad
        Channels that are left out are drawn empty.
    title, line : str
        Heading, and a line below it.
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    known = {(load.node, load.port): load.load for load in loads}
    top = max(known.values(), default=0.0)
    limit = next((step for step in (0.05, 0.1, 0.2, 0.5, 1.0) if top <= step), max(top, 1.0))
    norm, scale = Normalize(0, limit), LinearSegmentedColormap.from_list("load", SCALE)
    shapes, inks = [], []
    for x, y in mesh.nodes:
        for port in (*(p for p in Port if p is not Port.LOCAL), "inject", "local"):
            if isinstance(port, Port):
                if mesh.neighbour((x, y), port) is None:
                    continue
                shape, name = _arrow(x, y, port), port.name.lower()
            else:
                shape, name = _half(x, y, port), port
            load = known.get(((x, y), name), 0.0)
            shapes.append(shape)
            inks.append(scale(norm(load)))
    sheet = Sheet(mesh)
    width, height = sheet.size
    with settings():
        page = Page(max(LEFT + width + RIGHT, 5.2), TOP + height + 1.0)
        page.heading(title, line, page.width / 2, 0.3)
        axes = page.mesh(sheet, page.width / 2, TOP)
        draw_mesh(axes, sheet, links=False)
        axes.add_collection(
            PolyCollection(shapes, facecolors=inks, edgecolors="white", linewidths=0.4, zorder=3)
        )
        long = min(3.6, page.width - 1.2)
        box = (0.5 - long / page.width / 2, 0.5 / page.height, long / page.width, 0.1 / page.height)
        bar = page.figure.colorbar(
            ScalarMappable(norm, scale), cax=page.figure.add_axes(box), orientation="horizontal"
        )
        bar.outline.set_visible(False)
        bar.ax.tick_params(length=2, labelsize=7, color=INK)
        bar.set_label(
            "flits and messages a cycle; in a square: left sent by the node, right received",
            fontsize=7.5,
        )
    return page.figure


def _arrow(x: int, y: int, port: Port) -> Shape:
    """Return a broad arrow from the rim of one router's square to the next one's."""
    dx, dy = STEP[port]
    start, neck, end, half, head = NODE + 0.03, 0.64, 1 - NODE - 0.03, 0.05, 0.085
    along = [start, neck, neck, end, neck, neck, start]
    aside = [half, half, head, 0.0, -head, -half, -half]
    # To the right of (dx, dy) is (dy, -dx).
    return [
        (x + dx * a + dy * (AWAY + b), y + dy * a - dx * (AWAY + b))
        for a, b in zip(along, aside, strict=True)
    ]


def _half(x: int, y: int, port: str) -> Shape:
    """Return the left (inject) or right (local) half of a router's square."""
    near, far = (-NODE, -0.015) if port == "inject" else (0.015, NODE)
    return [(x + near, y - NODE), (x + near, y + NODE), (x + far, y + NODE), (x + far, y - NODE)]
