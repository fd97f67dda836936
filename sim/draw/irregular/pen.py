"""The marks of an irregular network: links, port numbers, switches, nodes."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.sim.draw.canvas import GREY, PALE, PAPER, ROOT, Sheet
from syncfabric.sim.draw.irregular.ground import HALF, Ground
from syncfabric.sim.draw.strokes import draw_pies

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["THIN", "Pen"]

FAINT = "#eef1f4"
"""Colour of switches that have none."""
THIN = 0.022
"""Breadth of a link, in hops."""
DIGIT, LARGE_DIGIT = 0.09, 0.15
"""Heights of a port's and a switch's number."""
CORNER = 0.05


class Pen:
    """Draws on the axes of one picture.

    Parameters
    ----------
    axes : Axes
    sheet : Sheet
    network : Irregular
    ground : Ground
        Where everything is.
    """

    def __init__(self, axes: "Axes", sheet: Sheet, network: Irregular, ground: Ground) -> None:
        self.axes, self.sheet, self.network, self.ground = axes, sheet, network, ground

    def links(self) -> None:
        """Draw every link, pale and thin."""
        from matplotlib.collections import LineCollection

        curves, thin = list(self.ground.links), self.sheet.points(THIN)
        self.axes.add_collection(LineCollection(curves, colors=PALE, linewidths=thin, zorder=1))

    def spokes(self, bold: Mapping[Place, Any] | None = None, thick: float = 0) -> None:
        """Join the nodes to their switches; some ``thick`` (in points) and in a colour."""
        from matplotlib.collections import LineCollection

        bold, lines, inks, widths = bold or {}, [], [], []
        for node in self.network.nodes:
            lines.append([self.ground.switches[node[0]], self.ground.ports[node]])
            inks.append(bold.get(node, PALE))
            widths.append(thick if node in bold else self.sheet.points(THIN))
        self.axes.add_collection(LineCollection(lines, colors=inks, linewidths=widths, zorder=2))

    def switches(self, inks: Mapping[int, Any]) -> None:
        """Draw squares with the switches' numbers, pale where there is no colour."""
        from matplotlib.collections import PatchCollection
        from matplotlib.patches import FancyBboxPatch

        boxes, colours, rims = [], [], []
        style = f"round,pad={CORNER},rounding_size={CORNER}"
        for switch, (x, y) in enumerate(self.ground.switches):
            half = HALF - CORNER
            boxes.append(FancyBboxPatch((x - half, y - half), 2 * half, 2 * half, boxstyle=style))
            colours.append(inks.get(switch, FAINT))
            rims.append(PAPER if switch in inks else PALE)
            ink = PAPER if switch in inks else GREY
            self._write(str(switch), (x, y), LARGE_DIGIT, ink, weight="bold")
        self.axes.add_collection(
            PatchCollection(boxes, facecolors=colours, edgecolors=rims, linewidths=0.8, zorder=6)
        )

    def link_numbers(self, *, covering: bool) -> None:
        """Write the numbers of the ports that links join, with paper below them or not."""
        ends = [end for link in self.network.links for end in link]
        if covering:
            self._discs(ends, 0.06, PAPER, zorder=5)
        self.numbers(ends, GREY)

    def nodes(self, filled: Mapping[Place, Any] | None = None) -> None:
        """Draw discs with the nodes' port numbers: some filled with a colour, others hollow."""
        filled = filled or {}
        for node, ink in filled.items():
            self._discs([node], self.ground.radius, ink, zorder=6)
        hollow = [node for node in self.network.nodes if node not in filled]
        rim = {"edgecolors": GREY, "linewidths": 0.7}
        self._discs(hollow, self.ground.radius, PAPER, zorder=6, **rim)
        self.numbers(list(filled), PAPER, weight="bold")
        self.numbers(hollow, GREY)

    def pies(self, inks: Mapping[Place, Sequence[Any]], *, hollow: float = 0) -> None:
        """Draw nodes as pies, clockwise from the top; ``hollow`` is a hole's part of the radius."""
        radius = self.ground.radius
        self._discs(list(inks), radius, PAPER, zorder=6)
        places = {self.ground.ports[node]: shown for node, shown in inks.items()}
        draw_pies(self.axes, places, radius, 7, (1 - hollow) * radius)

    def numbers(self, ports: Sequence[Place], ink: str, **style: Any) -> None:
        """Write the numbers of ports."""
        size = min(DIGIT, 1.15 * self.ground.radius)
        for port in ports:
            self._write(str(port[1]), self.ground.ports[port], size, ink, **style)

    def root_ring(self, node: Place) -> None:
        """Draw a ring around the root node."""
        x, y = self.ground.ports[node]
        size = self.sheet.points(2 * self.ground.radius + 0.06) ** 2
        self.axes.scatter(x, y, s=size, facecolors="none", edgecolors=ROOT, lw=1.4, zorder=9)

    def _discs(self, places: Sequence[Place], radius: float, ink: Any, **style: Any) -> None:
        points = [self.ground.ports[place] for place in places]
        if points:
            x, y = zip(*points, strict=True)
            size = self.sheet.points(2 * radius) ** 2
            self.axes.scatter(x, y, s=size, color=ink, **{"linewidths": 0, **style})

    def _write(
        self, words: str, where: tuple[float, float], size: float, ink: str, **style: Any
    ) -> None:
        """Write in the middle of a place, the figures ``size`` hops high."""
        size = self.sheet.points(size)
        style |= {"ha": "center", "va": "center_baseline", "zorder": 8}
        self.axes.text(*where, words, fontsize=size, color=ink, **style)
