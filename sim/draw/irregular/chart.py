"""An irregular network on a sheet: switches as squares, the number of each port beside it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.sim.draw.canvas import GREY, INK, PAPER, ROOT, Sheet, depth_colours, frame
from syncfabric.sim.draw.irregular.arrows import arrow, band
from syncfabric.sim.draw.irregular.ground import ground_of
from syncfabric.sim.draw.irregular.layout import Points
from syncfabric.sim.draw.irregular.pen import Pen
from syncfabric.sim.draw.page import Margins, Mark, depth_key
from syncfabric.sim.draw.strokes import draw_ways, trunk
from syncfabric.sim.results import ChannelLoad

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from syncfabric.models.planning.group_plan import GroupPlan

__all__ = ["IrregularChart"]

LEAST = 0.66
"""Least length of a hop, in inches: numbers of ports can still be read."""
THICK, THICKEST = 0.05, 3.0
"""Breadth of a leaf's edge: in hops, and at most, in points."""
HEAD = 0.12
"""Length of an arrowhead, in hops."""


class IrregularChart:
    """See ``Chart``."""

    margins = Margins(left=0.15, right=0.15, below=0.1)
    heat_words = "around a node: left sent by it, right received"

    def __init__(self, network: Irregular, side: float) -> None:
        self.network = network
        self.ground = ground_of(network)
        width, height = np.array(self.ground.switches).max(axis=0) + 1.0
        self.sheet = Sheet(float(width), float(height), side, least=LEAST)

    def draw_tree(self, axes: "Axes", group: "GroupPlan", height: int) -> None:
        """Draw the network, the tree's switches in the colours of their depths, its links bold."""
        pen, colours = self._pen(axes), depth_colours(height)
        depths = zip(group.shape.routers.tolist(), group.shape.depth.tolist(), strict=True)
        inks = {switch: colours[depth] for switch, depth in depths}
        members = {node: inks.get(node[0], ROOT) for node in group.members}
        thick = max(0.8, min(THICKEST, self.sheet.points(THICK)))
        pen.links()
        pen.spokes(members, thick)
        self._edges(axes, group, inks, thick, height)
        pen.link_numbers(covering=True)
        pen.switches(inks)
        pen.nodes(members)
        if group.root_node is not None:
            pen.root_ring(group.root_node)

    def tree_key(self, groups: Sequence["GroupPlan"]) -> list[Mark]:
        """Return the colours of the depths, and how members are marked."""
        some = any(len(group.shape.routers) < self.network.switches for group in groups)
        highest = max(group.height for group in groups)
        key = depth_key(highest, others="not in the tree" if some else None, shape="square")
        key.append(Mark(GREY, "member"))
        if any(len(group.members) < len(self.network.nodes) for group in groups):
            key.append(Mark(GREY, "other node", "ring"))
        return key

    def draw_groups(self, axes: "Axes", inks: Mapping[Place, Sequence[str]]) -> None:
        """Draw the network, and its nodes as pies of colours."""
        pen = self._pen(axes)
        pen.links()
        pen.spokes()
        pen.link_numbers(covering=True)
        pen.switches(dict.fromkeys(range(self.network.switches), INK))
        pen.nodes()
        pen.pies(inks)
        pen.numbers(list(inks), PAPER, weight="bold")

    def draw_loads(
        self, axes: "Axes", loads: Iterable[ChannelLoad], ink: Callable[[float], Any]
    ) -> None:
        """Draw an arrow a direction of each link, and rings of what nodes send and receive."""
        from matplotlib.collections import PolyCollection

        known = {(load.node, load.port): load.load for load in loads}
        bands, inks = [], []
        for (a, b), curve in zip(self.network.links, self.ground.links, strict=True):
            for (switch, port), way in ((a, curve), (b, curve[::-1])):
                bands.append(band(way))
                inks.append(ink(known.get((switch, str(port)), 0.0)))
        halves = {}
        for switch, port in self.network.nodes:
            received = known.get((switch, str(port)), 0.0)
            sent = known.get(((switch, port), "inject"), 0.0)
            halves[switch, port] = (ink(received), ink(sent))
        pen = self._pen(axes)
        axes.add_collection(
            PolyCollection(bands, facecolors=inks, edgecolors=PAPER, linewidths=0.4, zorder=3)
        )
        pen.spokes()
        pen.link_numbers(covering=False)
        pen.switches(dict.fromkeys(range(self.network.switches), INK))
        pen.pies(halves, hollow=0.55)
        pen.numbers(self.network.nodes, GREY)

    def _pen(self, axes: "Axes") -> Pen:
        frame(axes, self.sheet)
        return Pen(axes, self.sheet, self.network, self.ground)

    def _edges(
        self, axes: "Axes", group: "GroupPlan", inks: Mapping[int, str], thick: float, height: int
    ) -> None:
        """Draw the tree's links as arrows from parent to child, as releases go."""
        ways, tree = self._ways(), group.shape
        lines, heads, shades, broad = [], [], [], []
        ports = (tree.routers.tolist(), tree.parent_port.tolist(), tree.depth.tolist())
        for switch, port, depth in zip(*ports, strict=True):
            if port >= 0:
                line, head = arrow(ways[switch, port], HEAD)
                lines.append(line)
                heads.append(head)
                shades.append(inks[switch])
                broad.append(thick * trunk(depth, height))
        cased = [width + 0.7 * thick for width in broad]
        draw_ways(axes, lines, heads, shades, broad, cased, 3)

    def _ways(self) -> dict[Place, Points]:
        """Return the curve of the link to each port, towards it."""
        ways = {}
        for (a, b), curve in zip(self.network.links, self.ground.links, strict=True):
            ways[a], ways[b] = curve[::-1], curve
        return ways
