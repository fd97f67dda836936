"""Whether a group's plan, which anybody may have put together, is one of its network."""

from __future__ import annotations

from typing import Any

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import (
    AnySpec,
    EngineSpec,
    MeshSpec,
    StaticSpec,
    kind_of,
)
from syncfabric.models.planning.links.group_plan import GroupPlan as EngineGroupPlan
from syncfabric.models.planning.plan_irregular import IrregularGroupPlan
from syncfabric.models.planning.plan_mesh import GroupPlan
from syncfabric.models.planning.plan_static import StaticGroupPlan
from syncfabric.models.planning.plan_wires import WireGroupPlan
from syncfabric.models.planning.switch_tree import SwitchTree

__all__ = ["check_group"]

PLANS: dict[str, tuple[type[Any], ...]] = {
    "mesh": (GroupPlan, WireGroupPlan),
    "irregular": (IrregularGroupPlan, WireGroupPlan),
    "static": (StaticGroupPlan,),
    "engine mesh": (EngineGroupPlan,),
    "engine irregular": (EngineGroupPlan,),
}
BOUNDS = ("bound", "bound_btm", "bound_least")


def check_group(group: Any, network: AnySpec) -> None:
    """See that a group's plan is one of this network, in what reading its JSON does not show.

    Parameters
    ----------
    group : Any
        What stands where a group's plan belongs.
    network : AnySpec

    Raises
    ------
    SpecError
        It is none, or that of another network; it names registers that there are not; or a bound
        is no number of cycles.
    """
    if not isinstance(group, PLANS[kind_of(network) or ""]):
        name = type(group).__name__
        raise SpecError(f"{name} is no plan of a group on a network of kind {network.kind}")
    for name in BOUNDS:
        bound = getattr(group, name)
        whole = isinstance(bound, int) and not isinstance(bound, bool) and bound >= 0
        if bound is not None and not whole:
            raise SpecError(f"group {group.id}: {name} must be cycles or None, not {bound!r}")
    if isinstance(network, StaticSpec | EngineSpec):
        return
    tree, strays = group.tree, list[Any]()
    own: tuple[str, Any] | None = None
    if isinstance(group, WireGroupPlan):
        own, places = ("network", network), {group.slot}
    elif isinstance(network, MeshSpec):
        places = {*group.node_places.values()}
        strays = [node for node in tree.nodes if not network.mesh.contains(node)]
    else:
        own = "turnaround", network.turnaround
        places = {*group.places.values(), *group.switch_places.values()}
        strays = _not_linked(tree, network.topology)
    if own and getattr(group, own[0]) != own[1]:
        raise SpecError(f"group {group.id}: its {own[0]} is not that of the network")
    if strays:
        raise SpecError(
            f"group {group.id}: its tree goes by {strays[0]}, which the network has not"
        )
    there = network.barrier_registers
    for place in places:
        if not isinstance(place, int) or not 0 <= place < there:
            raise SpecError(f"group {group.id}: register {place} is none of the network's {there}")


def _not_linked(tree: SwitchTree, topology: Irregular) -> list[str]:
    """Return the ports by which a tree goes where the network does not."""
    switches, positions = tree.switches.tolist(), tree.parent.tolist()
    found = [] if max(switches, default=0) < topology.switches else [f"switch {max(switches)}"]
    for switch, position, up, down in zip(
        switches, positions, tree.up_port.tolist(), tree.down_port.tolist(), strict=True
    ):
        if position >= 0 and topology.across(switch, up) != (switches[position], down):
            found.append(f"port {up} of switch {switch}")
    return found
