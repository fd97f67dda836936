"""Who writes which register where nobody manages set-up: paper BTIN's representatives.

Source: paper BTIN, section 3.1, Setup_Register, step 6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.planning.switch_tree import PortRegister

if TYPE_CHECKING:
    from syncfabric.models.planning.plan_irregular import IrregularGroupPlan

__all__ = ["asked_node", "check_representatives", "shares"]


def asked_node(topology: Irregular, switch: int) -> Place:
    """Return the node that is asked to write a switch's register: that at its lowest port."""
    port = min(p for p in range(topology.ports) if topology.node_at(switch, p) is not None)
    return switch, port


def check_representatives(topology: Irregular, group: IrregularGroupPlan) -> None:
    """Refuse a group with a switch whose register nobody could write.

    Raises
    ------
    PlanError
        Its root switch has no member, or another switch of its tree has no node.
    """
    if len(group.members) == 1:
        return
    if group.root_node is None:
        raise PlanError(
            f"group {group.id}: root switch {group.root_switch} of its tree has no member, and "
            f'with setup = "paper" members alone write registers; set planner = "btin", or '
            f'setup = "local" or "manager"'
        )
    with_nodes = {switch for switch, _ in topology.nodes}
    for switch in group.tree.switches.tolist():
        if switch not in with_nodes:
            raise PlanError(
                f"group {group.id}: switch {switch} of its tree has no node, and with "
                f'setup = "paper" a node must write its register; put a node there, or set '
                f'setup = "local" or "manager"'
            )


def shares(group: IrregularGroupPlan) -> dict[Place, tuple[PortRegister, ...]]:
    """Return the registers that each member answers for.

    First that of its own node interface. The representative of a switch, the member at its lowest
    port, has also the switch's, which it writes itself, and then those of the switches without
    members below, down to the next member switches: it asks a node of each to write it.

    Parameters
    ----------
    group : IrregularGroupPlan
        Whose root switch has a member.
    """
    registers = {register.seat: register for register in group.registers()}
    mine: dict[Place, list[PortRegister]] = {node: [registers[node]] for node in group.members}
    first: dict[int, Place] = {}
    for node in sorted(group.members):
        first.setdefault(node[0], node)
    tree, switches = group.tree, group.tree.switches.tolist()
    # From the root down, so that a representative's own switch comes before those below it.
    for position in tree.depth.argsort(kind="stable").tolist() if len(group.members) > 1 else ():
        switch = switches[position]
        if switch not in first:
            first[switch] = first[switches[int(tree.parent[position])]]
        mine[first[switch]].append(registers[switch])
    return {node: tuple(found) for node, found in mine.items()}
