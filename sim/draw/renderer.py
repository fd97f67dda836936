"""Draws a scene, and what lies over it, on the axes of a picture."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from syncfabric.sim.draw.lines import Points, band
from syncfabric.sim.draw.overlay import Dot, Line, Overlay
from syncfabric.sim.draw.page import GREY, INK, PALE, PAPER, ROOT, Sheet
from syncfabric.sim.draw.scene import HALF, NODE, Scene, Spot
from syncfabric.sim.draw.style import lightness

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAINT = "#eef1f4"
"""Colour of switches that have none."""
THIN, THICK = 0.025, 0.05
"""Breadths of a link and of a leaf's edge, in hops."""
FINE, BROAD = 0.8, 3.6
"""Breadth of a leaf's edge, in points, at least and at most."""
DIGIT = 0.09
"""Height of a port's number."""
CORNER = 0.05
NUMBERED = 0.66
"""Least length of a hop, in inches, where the numbers of ports must be read."""


def sheet_of(scene: Scene, side: float) -> Sheet:
    """Return the sheet of a scene whose longer side is to be so many inches."""
    least = NUMBERED if scene.numbers else 0.3
    return Sheet(scene.width, scene.height, side, least)


class Renderer:
    """Draws on the axes of one picture.

    Parameters
    ----------
    axes : Axes
        Of the sheet's size.
    sheet : Sheet
    scene : Scene
    """

    def __init__(self, axes: "Axes", sheet: Sheet, scene: Scene) -> None:
        axes.set_xlim(-0.5, sheet.width - 0.5)  # (0, 0) is half a hop within
        axes.set_ylim(-0.5, sheet.height - 0.5)
        axes.set_aspect("equal")
        axes.set_xticks([])
        axes.set_yticks([])
        for spine in axes.spines.values():
            spine.set_visible(False)
        self.axes, self.sheet, self.scene = axes, sheet, scene
        size = max(5.0, min(9.0, sheet.points(0.24)))
        for x, y, words in scene.marks:
            self._write(words, x, y, size, GREY, clip_on=False)

    def draw(self, made: Overlay) -> None:
        """Draw the network with a group's tree or ring."""
        self.links()
        others = Overlay() if made.others is None else made.others
        drawn = made.dots.keys() | others.dots.keys()
        self.dots({name: self._plain(name) for name in self.scene.spots if name not in drawn}, 2)
        self.lines(others.lines, 2.2)
        self.dots({name: others.dots[name] for name in others.dots.keys() - made.dots.keys()}, 2.8)
        self.lines(made.lines, 7 if made.above else 3)
        self.bands(made.bands)
        self.numbers(covering=True)
        self.dots(made.dots, 6)
        if made.root is not None:
            self._root(self.scene.spots[made.root], made.dots[made.root])

    def links(self, lines: Sequence[Points] | None = None) -> None:
        """Draw links, pale and thin; by default all."""
        from matplotlib.collections import LineCollection

        thin, lines = self.sheet.points(THIN), self.scene.background if lines is None else lines
        self.axes.add_collection(LineCollection(lines, colors=PALE, linewidths=thin, zorder=1))

    def background(self, ink: str | None = None) -> None:
        """Draw links, numbers and spots; switches in a colour."""
        self.links()
        self.numbers(covering=True)
        spots = self.scene.spots.items()
        square = None if ink is None else Dot(ink, PAPER)
        self.dots({n: square if square and spot.square else self._plain(n) for n, spot in spots}, 6)

    def _plain(self, name: Hashable) -> Dot:
        """Return how a spot is drawn that nothing is said of."""
        spot = self.scene.spots[name]
        if spot.square:
            return Dot(FAINT, PALE)
        return Dot(PAPER, GREY) if spot.label else Dot(PALE, None, 0.3)

    def dots(self, dots: Mapping[Hashable, Dot], layer: float) -> None:
        """Draw spots, with their labels."""
        from matplotlib.collections import PatchCollection
        from matplotlib.patches import FancyBboxPatch

        found = [(self.scene.spots[name], dot) for name, dot in dots.items()]
        discs = [(spot, dot) for spot, dot in found if not spot.square]
        squares = [(spot, dot) for spot, dot in found if spot.square]
        if discs:
            broad = max(0.7, self.sheet.points(0.06))
            edges = [(0.7 if spot.label else broad) * (dot.edge is not None) for spot, dot in discs]
            sizes = [self.sheet.points(2 * spot.radius * dot.part) for spot, dot in discs]
            style: dict[str, Any] = {"c": [dot.face for _, dot in discs], "zorder": layer}
            style["edgecolors"] = [dot.edge or dot.face for _, dot in discs]
            x, y = zip(*((spot.x, spot.y) for spot, _ in discs), strict=True)
            self.axes.scatter(x, y, s=(np.array(sizes) - edges) ** 2, linewidths=edges, **style)
        if squares:
            box = f"round,pad={CORNER},rounding_size={CORNER}"
            half = HALF - CORNER
            boxes = [
                FancyBboxPatch((spot.x - half, spot.y - half), 2 * half, 2 * half, boxstyle=box)
                for spot, _ in squares
            ]
            style = {"facecolors": [dot.face for _, dot in squares], "zorder": layer}
            style["edgecolors"] = [dot.edge or PAPER for _, dot in squares]
            self.axes.add_collection(PatchCollection(boxes, linewidths=0.8, **style))
        for spot, dot in found:
            if spot.label:
                light = lightness(dot.face)
                ink = GREY if light > 0.85 else INK if light > 0.68 else PAPER
                plain = ink == GREY and not spot.square
                self._label(spot, ink, weight="normal" if plain else "bold")

    def lines(self, lines: Sequence[Line], layer: float) -> None:
        """Draw lines over a paler casing, and arrowheads in their colours."""
        from matplotlib.collections import LineCollection, PolyCollection

        leaf = min(BROAD, max(FINE, self.sheet.points(THICK)))
        points, inks = [line.points for line in lines], [line.ink for line in lines]
        widths = np.array([leaf * line.broad for line in lines])
        cased = LineCollection(points, colors=PAPER, linewidths=widths + 0.7 * leaf, zorder=layer)
        self.axes.add_collection(cased)
        self.axes.add_collection(
            LineCollection(points, colors=inks, linewidths=widths, zorder=layer + 0.2)
        )
        heads = [head for line in lines for head in line.heads]
        faces = [line.ink for line in lines for _ in line.heads]
        self.axes.add_collection(
            PolyCollection(heads, facecolors=faces, linewidths=0, zorder=layer + 0.4)
        )

    def bands(self, inks: Mapping[Hashable, Any]) -> None:
        """Draw directed links as broad arrows in colours."""
        from matplotlib.collections import PolyCollection

        shapes = [band(self.scene.lane(link), self.scene.away / 2) for link in inks]
        self.axes.add_collection(
            PolyCollection(
                shapes, facecolors=list(inks.values()), edgecolors=PAPER, linewidths=0.4, zorder=3
            )
        )

    def pies(
        self, inks: Mapping[Hashable, Sequence[Any]], digits: str, *, hole: float = 0.0
    ) -> None:
        """Draw nodes as pies of colours, clockwise from the top, with their labels.

        Parameters
        ----------
        inks : mapping of spot to sequence of colours
        digits : str
            Colour of the labels.
        hole : float
            Part of the radius that stays free where there is a label.
        """
        from matplotlib.collections import PatchCollection
        from matplotlib.patches import Wedge

        wedges, colours = [], []
        for name, shown in inks.items():
            spot, part = self.scene.spots[name], 360 / len(shown)
            ring = (1 - hole) * spot.radius if spot.label else None
            for turn, ink in enumerate(shown):
                first, last = 90 - (turn + 1) * part, 90 - turn * part
                wedges.append(Wedge((spot.x, spot.y), spot.radius, first, last, width=ring))
                colours.append(ink)
            if spot.label:
                self._label(spot, digits, weight="normal" if hole else "bold")
        self.axes.add_collection(
            PatchCollection(wedges, facecolors=colours, linewidths=0, zorder=7)
        )

    def numbers(self, *, covering: bool) -> None:
        """Write the numbers of the ports that links join, with paper below them or not."""
        for x, y, words in self.scene.numbers:
            if covering:
                size = self.sheet.points(0.12) ** 2
                self.axes.scatter(x, y, s=size, color=PAPER, linewidths=0, zorder=5)
            self._write(words, x, y, self.sheet.points(DIGIT), GREY)

    def _root(self, spot: Spot, dot: Dot) -> None:
        """Mark the root: by a ring around a node with a number, else by a point in its middle."""
        from matplotlib.patches import Circle

        middle = (spot.x, spot.y)
        if spot.label:
            ring = Circle(middle, spot.radius + 0.03, fill=False, ec=ROOT, lw=1.4, zorder=9)
        else:
            ink = dot.edge if dot.face == PAPER and dot.edge else PAPER
            ring = Circle(middle, 0.45 * spot.radius, fc=ink, lw=0, zorder=9)
        self.axes.add_patch(ring)

    def _label(self, spot: Spot, ink: str, **style: Any) -> None:
        shrunk = min(1.0, 2.4 / len(spot.label))
        size = self.sheet.points(shrunk * (spot.radius if spot.radius < NODE else 0.9 * NODE))
        self._write(spot.label, spot.x, spot.y, size, ink, **style)

    def _write(self, words: str, x: float, y: float, size: float, ink: str, **style: Any) -> None:
        style = {"ha": "center", "va": "center_baseline", "zorder": 10, **style}
        self.axes.text(x, y, words, fontsize=size, color=ink, **style)
