"""A barrier tree over the switches of an irregular network, as it is drawn."""

from typing import NamedTuple

from syncfabric.models.planning.links.group_plan import GroupPlan

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


def branches_of(group: GroupPlan) -> Branches:
    """Return a group's tree."""
    tree = group.shape
    switches = tree.routers.tolist()
    depths = dict(zip(switches, tree.depth.tolist(), strict=True))
    ports = zip(switches, tree.parent_port.tolist(), strict=True)
    return Branches(depths, [(switch, port) for switch, port in ports if port >= 0])
