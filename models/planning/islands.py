"""Whether a group's members can still reach each other when links and nodes are dead."""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.dead import Dead, parts
from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import GroupSpec

__all__ = ["check_together"]


def check_together(
    topology: Mesh | Irregular, left: Irregular, dead: Dead, groups: Sequence[GroupSpec]
) -> None:
    """Refuse a group whose members no tree or ring joins any more.

    Parameters
    ----------
    topology : Mesh or Irregular
        The whole network.
    left : Irregular
        Its routers or switches with the links that are left; see ``linked``.
    dead : Dead
    groups : sequence of GroupSpec
        Without members on dead nodes.

    Raises
    ------
    PlanError
        The first member that is cut off from most others.
    """
    part = parts(left)

    def island(member: Place) -> int:
        return part[topology.index(member) if isinstance(topology, Mesh) else member[0]]

    for group in groups:
        where = [island(member) for member in group.members]
        largest = max(where, key=lambda each: (where.count(each), -where.index(each)))
        for member, here in zip(group.members, where, strict=True):
            if here != largest:
                other = group.members[where.index(largest)]
                raise PlanError(
                    f"group {group.id}: member {member} cannot be reached from {other}, for no way "
                    f"is left without {dead}; take it out of the group"
                )
