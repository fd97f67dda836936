"""UDN/STN: members' packets gather at the root, which releases all over the static network.

Source: paper Reflex, section V. Tile64's user dynamic network is here the mesh's ordinary packets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.sim.drive.schemes.steps import StepKind
from syncfabric.sim.drive.schemes.ways import Gathering

if TYPE_CHECKING:
    from syncfabric.sim.drive.driver import Driver

__all__ = ["UdnStn", "release_cycles"]


def release_cycles(root: Node, member: Node) -> int:
    """Return what the static network takes from the root's word to a member's core, in cycles.

    A multicast down a tree of least ways in an idle network: the link into the root's switch, a
    cycle each hop between switches, and the link out of the member's. The root needs none.

    Parameters
    ----------
    root, member : (x, y)
    """
    hops = abs(root[0] - member[0]) + abs(root[1] - member[1])
    return 1 + hops + 1 if hops else 0


class UdnStn(Gathering):
    """The gathering is measured in this network; the release is as long as `release_cycles` says.

    Raises
    ------
    ValueError
        The network is no mesh.
    """

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver)
        if not isinstance(self.network.topology, Mesh):
            raise ValueError('a static network has the switches of a mesh: kind = "mesh"')
        self._due: dict[int, int] = {}
        """Members still to be released, and when."""

    def _distribute(self, now: int) -> None:
        self._tell(now, self.root, StepKind.TELL)
        root = self.plan.members[self.root]
        for member, node in enumerate(self.plan.members):
            self._due[member] = now + release_cycles(root, node)
        self._look(now)

    def _look(self, now: int) -> None:
        for member in [member for member, cycle in self._due.items() if cycle <= now]:
            self._release(self._due.pop(member), member)
