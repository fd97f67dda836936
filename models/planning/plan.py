"""A network's whole barrier plan: every group's tree, its entries, and its predicted latency."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from syncfabric.models.errors import PlanError, SpecError, SyncfabricError, about
from syncfabric.models.layout.slots import WIRE_PLANNER
from syncfabric.models.networks.dead import NOTHING, Dead, check_together
from syncfabric.models.networks.explain import RENAMED
from syncfabric.models.networks.spec import (
    AnySpec,
    GroupSpec,
    IrregularSpec,
    MeshSpec,
    NetworkSpec,
    StaticSpec,
)
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan_static import plan_static
from syncfabric.models.planning.planners import plan_groups, plan_on_wires


@dataclass(frozen=True)
class BarrierPlan:
    """A network and the plan of each of its groups.

    Parameters
    ----------
    spec : NetworkSpec
        The network; a group that found no slot has the planner that it goes by instead.
    groups : tuple of GroupPlan
        In the order of the network file.
    without : Dead
        What it goes around.
    left_out : dict of int to tuple of (int, int)
        Members on dead nodes, by group.
    """

    spec: NetworkSpec
    groups: tuple[GroupPlan, ...]
    without: Dead = NOTHING
    left_out: Mapping[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)

    @property
    def engine_groups(self) -> tuple[GroupPlan, ...]:
        """The groups whose trees are entries of engines."""
        return tuple(group for group in self.groups if not group.static)

    @property
    def static_groups(self) -> tuple[GroupPlan, ...]:
        """The groups of a static network."""
        return tuple(group for group in self.groups if group.static)

    def group(self, group_id: int) -> GroupPlan:
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

    def endpoints(self, group: GroupPlan) -> list[tuple[int, int]]:
        """Return the number of each member's node, and its register there, in their order."""
        index = self.spec.network.topology.index
        return [(index(node), register) for node, register in group.places.items()]

    def to_json(self) -> dict[str, Any]:
        """Return the plan as ``plan --json`` prints it; ``from_json`` reads it again.

        Raises
        ------
        SpecError
            Its parts do not belong together: what it says cannot be written, or it is not
            what would be read again.
        """
        try:
            written = self._written()
            read = self._of(self.spec.network, json.loads(json.dumps(written)))
            again = read._written()
        except SyncfabricError as error:
            raise SpecError(f"{_APART}: {error}") from None
        except _NOT_SO as error:
            raise SpecError(f"{_APART}: {error!r}; plan again") from None
        for name, value in written.items():
            if again[name] != value:
                raise SpecError(f"{_APART}: {name} is not what it is read as again; plan again")
        return written

    def _written(self) -> dict[str, Any]:
        return {
            "network": self.spec.name,
            "settings": self.spec.network.model_dump(mode="json"),
            "without": list(self.without.names),
            "left_out": [
                {"group": gid, "members": [list(member) for member in members]}
                for gid, members in self.left_out.items()
            ],
            "groups": [group.to_json() for group in self.groups],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BarrierPlan:
        """Read what ``to_json`` made.

        Raises
        ------
        SpecError
            The values have not the shape of a plan, or its network is not sound.
        """
        try:
            return cls._of(_network(data["settings"]), data)
        except SyncfabricError:
            raise
        except KeyError as error:
            raise SpecError(f"plan: there is no {error} where one belongs; plan again") from None
        except _NOT_SO as error:
            raise SpecError(f"plan: it is not as it was written: {error}; plan again") from None

    @classmethod
    def _of(cls, network: AnySpec, data: Mapping[str, Any]) -> BarrierPlan:
        groups = tuple(GroupPlan.from_json(entry, network) for entry in data["groups"])
        _check_apart(groups)
        specs = tuple(
            GroupSpec(
                id=entry["id"],
                members=group.members,
                planner=entry["planner"],
                op=entry["op"],
                stream=group.stream_bound is not None,
            )
            for group, entry in zip(groups, data["groups"], strict=True)
        )
        spec = NetworkSpec(name=data["network"], network=network, groups=specs)
        left_out = {
            entry["group"]: tuple((a, b) for a, b in entry["members"]) for entry in data["left_out"]
        }
        return cls(spec, groups, Dead.of(network.topology, data["without"]), left_out)


_NOT_SO = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What comes of values that a plan does not have."""

_APART = "plan: its parts do not belong together"

SETTINGS: dict[str, type[AnySpec]] = {
    "mesh": MeshSpec,
    "irregular": IrregularSpec,
    "static": StaticSpec,
}


def _network(settings: Mapping[str, Any]) -> AnySpec:
    """Read the settings of a plan's network; names of 0.1.0 beside today's are passed over."""
    named = {key: value for key, value in settings.items() if RENAMED.get(key) not in settings}
    try:
        return SETTINGS[settings["kind"]](**named)
    except SpecError as error:
        raise SpecError(f"plan: settings: {error}; plan again") from None


def _check_apart(groups: Sequence[GroupPlan]) -> None:
    """Refuse two groups that have the same entry of a router."""
    taken: dict[tuple[int, int], int] = {}
    for group in groups:
        for place in group.placement.items():
            if (other := taken.setdefault(place, group.id)) != group.id:
                raise SpecError(
                    f"plan: group {group.id}: entry {place[1]} of {group.graph.name(place[0])} is"
                    f" that of group {other}, too; plan again"
                )


def make_plan(spec: NetworkSpec, without: Dead = NOTHING) -> BarrierPlan:
    """Plan every group's tree and place it in the entries of engines and the slots of wires.

    Members on dead nodes are left out, and so is a group that has no others; nothing that is
    planned comes upon a dead link or node.

    Groups of planner ``wires`` take slots; those that find none are messages, by the transport's
    default planner.

    Raises
    ------
    PlanError
        A router has more groups than entries; members cannot reach each other any more; or on a
        static network there is no route for a group beside the others.
    """
    with about(spec.source):
        return _planned(spec, without)


def _planned(spec: NetworkSpec, without: Dead) -> BarrierPlan:
    network = spec.network
    left_out: dict[int, tuple[tuple[int, int], ...]] = {}
    if without:
        groups, left_out = without.alive(network.topology, spec.groups)
        check_together(network.topology, without, groups)
        spec = spec.model_copy(update={"groups": groups})
    if isinstance(network, StaticSpec):
        return BarrierPlan(spec, plan_static(network, spec.groups, without), without, left_out)
    if without and network.transport == "routed":
        raise PlanError(
            f"network: routed messages cannot go around {without}; set transport = "
            '"link", whose trees can'
        )
    wired, rest = plan_on_wires(network, spec.groups, without)
    spec = _as_messages(spec, rest)
    beside = [group for group in spec.groups if group.planner != WIRE_PLANNER]
    found = {plan.id: plan for plan in (*wired, *plan_groups(network, beside, without))}
    entries = tuple(found[group.id] for group in spec.groups)
    return BarrierPlan(spec, entries, without, left_out)


def _as_messages(spec: NetworkSpec, left: Collection[GroupSpec]) -> NetworkSpec:
    """Give the groups that found no slot the default planner of the network's kind."""
    if not left:
        return spec
    default = next(name for name in spec.network.planners if name != WIRE_PLANNER)
    ids = {group.id for group in left}
    groups = (
        group.model_copy(update={"planner": default}) if group.id in ids else group
        for group in spec.groups
    )
    return spec.model_copy(update={"groups": tuple(groups)})
