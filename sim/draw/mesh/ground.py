"""A mesh on a sheet: columns and rows numbered, routers where they are, loads between them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from syncfabric.models.networks.mesh import STEP, Mesh, Node, Port
from syncfabric.sim.draw.canvas import PALE, Sheet, frame
from syncfabric.sim.draw.page import Margins
from syncfabric.sim.draw.strokes import draw_pies
from syncfabric.sim.results import ChannelLoad

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MeshGround"]

GROUPS = 0.26
"""Radius of a disc with the colours of a node's groups, in hops."""
AWAY = 0.085
"""Distance of a channel from the line between its routers, in hops: traffic keeps right."""
NODE = 0.2
"""Half the side of a router's square, in hops."""

Shape = list[tuple[float, float]]


class MeshGround:
    """What charts of all networks on a mesh share; see ``Chart``."""

    margins = Margins(left=0.42, right=0.2, below=0.34)
    heat_words = "in a square: left sent by the node, right received"

    def __init__(self, mesh: Mesh, side: float) -> None:
        self.mesh = mesh
        self.sheet = Sheet(mesh.width, mesh.height, side)

    def draw_groups(self, axes: "Axes", inks: Mapping[Node, Sequence[str]]) -> None:
        """Draw the mesh, and pies of colours over its nodes."""
        self.ground(axes)
        draw_pies(axes, inks, GROUPS, 3, None)

    def draw_loads(
        self, axes: "Axes", loads: Iterable[ChannelLoad], ink: Callable[[float], Any]
    ) -> None:
        """Draw an arrow a channel between routers, and squares of what nodes send and receive."""
        from matplotlib.collections import PolyCollection

        known = {(load.node, load.port): load.load for load in loads}
        shapes, inks = [], []
        for x, y in self.mesh.nodes:
            for port in (*(p for p in Port if p is not Port.LOCAL), "inject", "local"):
                if isinstance(port, Port):
                    if self.mesh.neighbour((x, y), port) is None:
                        continue
                    shape, name = _arrow(x, y, port), port.name.lower()
                else:
                    shape, name = _half(x, y, port), port
                shapes.append(shape)
                inks.append(ink(known.get(((x, y), name), 0.0)))
        self.ground(axes, links=False)
        axes.add_collection(
            PolyCollection(shapes, facecolors=inks, edgecolors="white", linewidths=0.4, zorder=3)
        )

    def ground(self, axes: "Axes", *, links: bool = True) -> None:
        """Draw links and routers in pale grey, and number columns and rows at the rim."""
        from matplotlib.collections import LineCollection

        mesh, cell = self.mesh, self.sheet.points(1)
        frame(axes, self.sheet)
        if links:
            lines = [[(0, y), (mesh.width - 1, y)] for y in range(mesh.height)]
            lines += [[(x, 0), (x, mesh.height - 1)] for x in range(mesh.width)]
            thin = cell * 0.025
            axes.add_collection(LineCollection(lines, colors=PALE, linewidths=thin, zorder=1))
            x, y = zip(*mesh.nodes, strict=True)
            axes.scatter(x, y, s=(cell * 0.12) ** 2, color=PALE, linewidths=0, zorder=2)
        axes.tick_params(length=0, labelsize=max(5.0, min(9.0, cell * 0.24)), pad=2)
        step = 1 if cell >= 17 else 4
        axes.set_xticks(range(0, mesh.width, step))
        axes.set_yticks(range(0, mesh.height, step))


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
