"""A barrier tree over its mesh, every edge along the links that the group's messages take."""

from typing import TYPE_CHECKING

from syncfabric.models.networks.mesh import Mesh, Node, Port
from syncfabric.models.planning.tree import distribute_turn
from syncfabric.sim.draw.canvas import Sheet, depth_colours
from syncfabric.sim.draw.mesh.lanes import corners, lay_out
from syncfabric.sim.draw.strokes import head, rounded, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from syncfabric.models.planning.tree import Tree

__all__ = ["draw_tree", "routes"]

RADIUS = 0.21


def routes(tree: "Tree", mesh: Mesh) -> list[tuple[int, list[Node]]]:
    """Return the way of every DISTRIBUTE message.

    Parameters
    ----------
    tree : Tree
    mesh : Mesh

    Returns
    -------
    list of (int, list of Node)
        For each member but the root its depth, and the corners of the path from its parent.
    """
    found = []
    for place, above in enumerate(tree.parent.tolist()):
        if above >= 0:
            child = tree.node(place)
            turn = distribute_turn(Port(int(tree.port[place])))
            crossed = [node for node, _ in mesh.path(tree.node(above), child, turn)]
            found.append((int(tree.depth[place]), corners([*crossed, child])))
    return found


def draw_tree(axes: "Axes", tree: "Tree", mesh: Mesh, sheet: Sheet, height: int) -> None:
    """Draw the members in the colours of their depths, and the routes between them.

    Parameters
    ----------
    axes : Axes
    tree : Tree
    mesh : Mesh
    sheet : Sheet
    height : int
        Height of the highest tree on the page, which spreads the colours.
    """
    from matplotlib.collections import LineCollection, PolyCollection

    colours = depth_colours(height)
    cell = sheet.points(1)
    ink = [colours[depth] for depth in tree.depth.tolist()]
    axes.scatter(tree.x, tree.y, s=(cell * 2 * RADIUS) ** 2, c=ink, linewidths=0, zorder=3)
    root = tree.root
    axes.scatter(*root, s=(cell * RADIUS * 0.9) ** 2, color="white", linewidths=0, zorder=4)
    paths = routes(tree, mesh)
    ink = [colours[depth] for depth, _ in paths]
    lanes = lay_out([path for _, path in paths], RADIUS + 0.02)
    tip = 0.17
    lines = [rounded(shortened(lane, tip * 0.8)) for lane in lanes]
    # Broader towards the root, so that a large tree's trunk stands out.
    broad = [1 + 0.5 * (height - depth) / height for depth, _ in paths]
    width = max(0.8, cell * 0.05)
    cased = [width * (part + 0.7) for part in broad]
    axes.add_collection(LineCollection(lines, colors="white", linewidths=cased, zorder=5))
    thick = [width * part for part in broad]
    axes.add_collection(LineCollection(lines, colors=ink, linewidths=thick, zorder=6))
    heads = [head(lane, tip) for lane in lanes]
    axes.add_collection(PolyCollection(heads, facecolors=ink, linewidths=0, zorder=7))
