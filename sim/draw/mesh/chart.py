"""A mesh with its barrier trees."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from syncfabric.sim.draw.mesh.ground import MeshGround
from syncfabric.sim.draw.mesh.tree import draw_tree
from syncfabric.sim.draw.page import Mark, depth_key

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from syncfabric.models.planning.plan import GroupPlan

__all__ = ["MeshChart"]


class MeshChart(MeshGround):
    """See ``Chart``."""

    def draw_tree(self, axes: "Axes", group: "GroupPlan", height: int) -> None:
        """Draw the mesh, the members in the colours of their depths, and their messages' ways."""
        self.ground(axes)
        draw_tree(axes, group.tree, self.mesh, self.sheet, height)

    def tree_key(self, groups: Sequence["GroupPlan"]) -> list[Mark]:
        """Return the colours of the depths."""
        some = any(len(group.members) < len(self.mesh.nodes) for group in groups)
        highest = max(group.height for group in groups)
        return depth_key(highest, others="not a member" if some else None, shape="disc")
