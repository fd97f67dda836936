"""A barrier tree over the switches of an irregular network, as it is drawn."""

from typing import NamedTuple

from syncfabric.models.planning.links.group_plan import GroupPlan as LinkPlan
from syncfabric.models.planning.plan import IrregularGroupPlan, WireGroupPlan

__all__ = ["Branches", "branches_of"]


class Branches(NamedTuple):
    """A tree of switches.

    Parameters
    ----------
    depths : dict of int to int
        Of every switch.
    up_ports : list of (int, int)
        Each switch but the root, and its port to the parent.
    """

    depths: dict[int, int]
    up_ports: list[tuple[int, int]]


def branches_of(group: IrregularGroupPlan | WireGroupPlan | LinkPlan) -> Branches:
    """Return a group's tree, whatever its barriers travel on.

    A group of one member has none on wires, and none in barrier registers.
    """
    if isinstance(group, WireGroupPlan):
        if group.tree is None:
            return Branches({}, [])
        return Branches(group.tree.depths, [edge[:2] for edge in group.tree.edges])
    if isinstance(group, LinkPlan):
        shape = group.shape
        switches, ups, levels = shape.routers, shape.parent_port, shape.depth
    elif not group.switch_places:
        return Branches({}, [])
    else:
        tree = group.tree
        switches, ups, levels = tree.switches, tree.up_port, tree.depth
    numbers = switches.tolist()
    depths = dict(zip(numbers, levels.tolist(), strict=True))
    ports = zip(numbers, ups.tolist(), strict=True)
    return Branches(depths, [(switch, port) for switch, port in ports if port >= 0])
