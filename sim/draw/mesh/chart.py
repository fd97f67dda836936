"""A mesh with its barrier trees."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from syncfabric.sim.draw.canvas import GREY
from syncfabric.sim.draw.mesh.ground import MeshGround
from syncfabric.sim.draw.mesh.tree import branches, draw_tree
from syncfabric.sim.draw.page import Mark, depth_key

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from syncfabric.models.planning.links.group_plan import GroupPlan

__all__ = ["MeshChart"]


class MeshChart(MeshGround):
    """See ``Chart``."""

    def draw_tree(self, axes: "Axes", group: "GroupPlan", height: int) -> None:
        """Draw the mesh, the tree's routers in the colours of their depths, and its ways."""
        self.ground(axes)
        draw_tree(axes, group, self.mesh, self.sheet, height)

    def tree_key(self, groups: Sequence["GroupPlan"]) -> list[Mark]:
        """Return the colours of the depths, and how routers that are passed are marked."""
        some = any(len(group.members) < len(self.mesh.nodes) for group in groups)
        highest = max(group.height for group in groups)
        key = depth_key(highest, others="not a member" if some else None, shape="disc")
        trees = (branches(group, self.mesh).depths for group in groups)
        if any(len(tree) > len(group.members) for tree, group in zip(trees, groups, strict=True)):
            key.append(Mark(GREY, "on the way, not a member", "ring"))
        return key
