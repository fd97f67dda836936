"""Planner ``wires``: every group's tree and slot on barrier wires (microarchitecture-wires.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.dead import NOTHING, Dead, linked
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import GroupSpec, RegisterSpec
from syncfabric.models.networks.wires import WIRE_PLANNER
from syncfabric.models.planning.commands import check_command
from syncfabric.models.planning.plan_wires import WireGroupPlan
from syncfabric.models.planning.wires_graph import IrregularGraph, MeshGraph, WireGraph
from syncfabric.models.planning.wires_slots import Laid, Wanted, lay_groups, least_slots

__all__ = ["SlotUse", "WirePlans", "plan_wires", "slot_use"]

MOST_SLOTS = 64


class WirePlans(NamedTuple):
    """The groups of a network that go on wires, and those that do not.

    Parameters
    ----------
    groups : tuple of WireGroupPlan
        In the order of the network file.
    left : tuple of GroupSpec
        Groups of planner ``wires`` that found no slot: with ``sync = "both"`` they are messages.
    """

    groups: tuple[WireGroupPlan, ...]
    left: tuple[GroupSpec, ...]


class SlotUse(NamedTuple):
    """How many slots a plan takes.

    Parameters
    ----------
    of : int
        Slots that every unit has, ``barrier_registers``.
    used : int
        Slots that have a group somewhere.
    least : int
        Slots that these groups need at least, whatever their trees.
    """

    of: int
    used: int
    least: int


def plan_wires(
    network: RegisterSpec, groups: Sequence[GroupSpec], dead: Dead = NOTHING
) -> WirePlans:
    """Plan the groups of planner ``wires``, as many as fit; groups of other planners are passed by.

    Raises
    ------
    PlanError
        There are wires only, and a group finds no slot; or no manager can set it up.
    """
    asking = [group for group in groups if group.planner == WIRE_PLANNER]
    graph = _graph(network, dead)
    wanted = [_wanted(network, group) for group in asking]
    laid = lay_groups(graph, wanted, network.barrier_registers)
    left = tuple(group for group in asking if group.id not in laid)
    if left and not network.has_messages:
        raise _refusal(network, graph, wanted, left)
    for group in asking:  # with both, managers set registers of messages up, and no slots
        if not network.has_messages and (tree := laid[group.id].tree):
            check_command(network, group.id, len(tree.routers))
    return WirePlans(
        groups=tuple(_plan(network, group, laid[group.id]) for group in asking if group.id in laid),
        left=left,
    )


def slot_use(
    network: RegisterSpec, groups: Sequence[WireGroupPlan], dead: Dead = NOTHING
) -> SlotUse:
    """Count the slots of groups on wires, and those that they need at least."""
    wanted = [_wanted(network, group) for group in groups]
    used = len({group.slot for group in groups})
    return SlotUse(network.barrier_registers, used, least_slots(_graph(network, dead), wanted))


def _graph(network: RegisterSpec, dead: Dead) -> WireGraph:
    if isinstance(network.topology, Mesh) and not dead:
        return MeshGraph(network.topology)
    return IrregularGraph(linked(network.topology, dead))


def _wanted(network: RegisterSpec, group: GroupSpec | WireGroupPlan) -> Wanted:
    topology = network.topology
    if isinstance(topology, Mesh):
        return Wanted(group.id, tuple(map(topology.index, group.members)))
    own = tuple(topology.switches + topology.index(node) for node in group.members)
    switches = tuple(sorted({switch for switch, _ in group.members}))
    return Wanted(group.id, switches if len(group.members) > 1 else (), own)


def _plan(network: RegisterSpec, group: GroupSpec, laid: Laid) -> WireGroupPlan:
    return WireGroupPlan(group.id, group.op, group.members, laid.tree, laid.slot, network)


def _refusal(
    network: RegisterSpec, graph: WireGraph, wanted: Sequence[Wanted], left: Sequence[GroupSpec]
) -> PlanError:
    """Name the groups that find no slot, and what would help."""
    ids = ", ".join(str(group.id) for group in left)
    many, others = "s" * (len(left) > 1), len(wanted) - len(left)
    more = lay_groups(graph, wanted, min(MOST_SLOTS, len(wanted)))
    remedy = 'set sync = "both", and they are messages'
    if len(more) == len(wanted):
        slots = len({where.slot for where in more.values()})
        remedy = f'set barrier_registers = {slots}, which holds all, or sync = "both"'
    return PlanError(
        f"group{many} {ids}: no slot was found beside {others} other group{'s' * (others > 1)} on "
        f"wires (barrier_registers = {network.barrier_registers}); {remedy} in [network]"
    )
