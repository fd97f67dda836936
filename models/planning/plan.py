"""A network's whole barrier plan: every group's tree, its registers, and its predicted latency."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.spec import (
    AnySpec,
    GroupSpec,
    IrregularSpec,
    MeshSpec,
    NetworkSpec,
    StaticSpec,
)
from syncfabric.models.planning.bounds import bound_cycles
from syncfabric.models.planning.plan_irregular import IrregularGroupPlan, plan_irregular
from syncfabric.models.planning.plan_mesh import GroupPlan, plan_mesh
from syncfabric.models.planning.plan_static import StaticGroupPlan, plan_static
from syncfabric.models.planning.switch_tree import PortRegister, SwitchTree
from syncfabric.models.planning.tree import Register, Tree

__all__ = [
    "AnyGroupPlan",
    "BarrierPlan",
    "GroupPlan",
    "IrregularGroupPlan",
    "MessageGroupPlan",
    "PortRegister",
    "Register",
    "StaticGroupPlan",
    "SwitchTree",
    "Tree",
    "bound_cycles",
    "make_plan",
]


MessageGroupPlan: TypeAlias = GroupPlan | IrregularGroupPlan
"""A group whose barriers are messages."""

AnyGroupPlan: TypeAlias = MessageGroupPlan | StaticGroupPlan
"""A group on any kind of network."""


@dataclass(frozen=True)
class BarrierPlan:
    """A network and the plan of each of its groups."""

    spec: NetworkSpec
    groups: tuple[AnyGroupPlan, ...]

    @property
    def message_groups(self) -> tuple[MessageGroupPlan, ...]:
        """The groups whose barriers are messages: all, or on a static network none."""
        return tuple(group for group in self.groups if not isinstance(group, StaticGroupPlan))

    def group(self, group_id: int) -> AnyGroupPlan:
        """Return the plan of one group.

        Raises
        ------
        PlanError
            The network has no such group.
        """
        for group in self.groups:
            if group.id == group_id:
                return group
        known = ", ".join(str(group.id) for group in self.groups) or "none"
        raise PlanError(f"Network {self.spec.name} has no group {group_id}; its groups: {known}")

    def to_json(self) -> dict[str, Any]:
        """Return the plan as ``plan --json`` prints it; ``from_json`` reads it again."""
        return {
            "network": self.spec.name,
            "settings": self.spec.network.model_dump(mode="json"),
            "groups": [group.to_json() for group in self.groups],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BarrierPlan:
        """Read what ``to_json`` made."""
        settings = data["settings"]
        network: AnySpec
        groups: list[AnyGroupPlan]
        if settings["kind"] == "mesh":
            network = mesh = MeshSpec(**settings)
            groups = [GroupPlan.from_json(entry, mesh) for entry in data["groups"]]
        elif settings["kind"] == "irregular":
            network = irregular = IrregularSpec(**settings)
            groups = [IrregularGroupPlan.from_json(entry, irregular) for entry in data["groups"]]
        else:
            network = static = StaticSpec(**settings)
            groups = [StaticGroupPlan.from_json(entry, static) for entry in data["groups"]]
        specs = tuple(
            GroupSpec(
                id=entry["id"], members=group.members, planner=entry["planner"], op=entry["op"]
            )
            for group, entry in zip(groups, data["groups"], strict=True)
        )
        return cls(NetworkSpec(name=data["network"], network=network, groups=specs), tuple(groups))


def make_plan(spec: NetworkSpec) -> BarrierPlan:
    """Plan every group's tree and place it in the registers of nodes and switches.

    At each of them the groups take registers 0, 1, … in the order of the file; with ``spill`` those
    beyond ``barrier_registers`` live in the backing memory there.

    Raises
    ------
    PlanError
        A node or switch has more groups than registers, and ``spill`` is off; or on a static
        network there is no way for a group beside the others.
    """
    network = spec.network
    if isinstance(network, MeshSpec):
        return BarrierPlan(spec, plan_mesh(network, spec.groups))
    if isinstance(network, IrregularSpec):
        return BarrierPlan(spec, plan_irregular(network, spec.groups))
    return BarrierPlan(spec, plan_static(network, spec.groups))
