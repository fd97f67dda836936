"""Whole networks with barrier wires, as planned, and what their nodes' software does."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import ConfigRequest, Record
from syncfabric.models.messages import (
    COUNTER_BASE,
    MANAGER_BASE,
    MANAGER_COMMAND,
    MANAGER_STATUS,
    WIRE_IMAGE,
    Answer,
    Counter,
    ManagerState,
    ManagerWord,
    Request,
)
from syncfabric.models.networks.spec import GroupSpec, NetworkSpec
from syncfabric.models.planning.images import config_writes, group_writes
from syncfabric.models.planning.plan import EngineGroupPlan, make_plan
from syncfabric.models.planning.plan_static import StaticGroupPlan
from syncfabric.models.planning.plan_wires import WireGroupPlan
from syncfabric.models.planning.requests import manager_entries, node_writes

__all__ = ["WireBench", "mesh_keys", "switch_keys"]


def mesh_keys(width: int, height: int) -> dict[str, Any]:
    """Return what a network file says of a mesh."""
    return {"kind": "mesh", "width": width, "height": height}


def switch_keys() -> dict[str, Any]:
    """Return four switches in a row, with a node at each end's and three in the middle."""
    return {
        "kind": "irregular",
        "ports": 5,
        "switches": 4,
        "links": [((0, 0), (1, 1)), ((1, 0), (2, 1)), ((2, 0), (3, 1))],
        "nodes": [(0, 3), (1, 2), (1, 4), (2, 3), (3, 2)],
    }


class WireBench:
    """A model with its plan.

    Parameters
    ----------
    keys : dict
        The table ``[network]``.
    groups : mapping of int to members
        Groups by id, each a number of nodes.
    planners : mapping of int to str
        Their planners; ``wires`` for others.
    traffic : int
        ``traffic_rate``; 0 for none.
    """

    def __init__(
        self,
        keys: Mapping[str, Any],
        groups: Mapping[int, Iterable[int]],
        planners: Mapping[int, str] | None = None,
        traffic: int = 0,
    ) -> None:
        bare = NetworkSpec.model_validate({"name": "bare", "network": dict(keys)})
        node = bare.register_network.topology.node
        planned = planners or {}
        tables = [
            GroupSpec(
                id=gid,
                members=tuple(node(member) for member in members),
                planner=planned.get(gid, "wires"),
            )
            for gid, members in groups.items()
        ]
        spec = NetworkSpec.model_validate(
            {"name": "wired", "network": dict(keys), "groups": tables}
        )
        self.network = spec.register_network
        self.plan = make_plan(spec)
        self.groups = {group.id: group for group in self.plan.wire_groups}
        self.model = model_of(self.network)
        self.index = self.network.topology.index
        self.traffic = {"enable": True, "rate": traffic} if traffic else {}
        self.records: dict[int, Record] = {}
        self.released: list[tuple[int, int, int, int, bool]] = []
        if traffic:
            self.step(load=7)

    def step(self, **inputs: Any) -> None:
        """Step; keep what is on the wires, and (cycle, node, register, result, broken)."""
        model = self.model
        for node, register, result in model.release:
            broken = model.broken(node, register)
            self.released.append((model.cycle, node, register, result, broken))
        now = model.cycle
        record = model.step(**{**self.traffic, **inputs})
        if record is not None:
            self.records[now] = record

    def rest(self, cycles: int) -> None:
        """Step on."""
        for _ in range(cycles):
            self.step()

    def request(self, target: int, address: int, data: int | None = None) -> int | None:
        """Write ``data``, or read; return the answer, None for an error."""
        self.step(config=ConfigRequest(target, address, data is not None, data or 0))
        while not self.model.config_answer[0]:
            self.step()
        _, error, answer = self.model.config_answer
        return None if error else answer

    def counters(self, target: int) -> list[int | None]:
        """Read the counters of a place."""
        return [self.request(target, COUNTER_BASE + counter) for counter in Counter]

    def write(self) -> None:
        """Set everything up over the config port."""
        for target, address, word in config_writes(self.plan):
            assert self.request(target, address, word) == 0
        self.step(start=True)

    def write_own(self) -> None:
        """Write what no manager is asked for."""
        for target, address, word in node_writes(self.plan):
            assert self.request(target, address, word) == 0

    def writes_of(self, gids: Iterable[int]) -> list[tuple[int, int, int]]:
        """Return the config writes of some groups."""
        chosen = [group for group in self.plan.groups if group.id in gids]
        return [write for group in chosen for write in group_writes(self.plan, group)]

    # What managers do.

    def entries(self, gid: int, slot: int | None = None) -> list[tuple[int, ...]]:
        """Return a group's entries, for another slot if asked for."""
        group = next(group for group in self.plan.groups if group.id == gid)
        assert not isinstance(group, StaticGroupPlan | EngineGroupPlan)
        found = manager_entries(self.plan, group, epoch=0)
        if slot is None:
            return found
        changed: list[tuple[int, ...]] = []
        for header, request, tree in found:
            fields = WIRE_IMAGE.unpack(tree)
            changed.append((header, request, WIRE_IMAGE.pack({**fields, "slot": slot})))
        return changed

    def command(
        self, operation: Request, entries: list[tuple[int, ...]], manager: int = 0
    ) -> tuple[ManagerState, Answer]:
        """Load a manager, have it carry a command out; return its status."""
        node = self.index(self.network.manager_nodes[manager])
        order = MANAGER_COMMAND.pack({"operation": operation, "count": len(entries)})
        words = [(ManagerWord.POINTER, 0)]
        words += [(ManagerWord.DATA, word) for entry in entries for word in entry]
        for word, data in [*words, (ManagerWord.COMMAND, order)]:
            assert self.request(node, MANAGER_BASE + word, data) == 0
        for _ in range(3000):
            if self.model.manager_state(node) is not ManagerState.RUNNING:
                break
            self.step()
        status = MANAGER_STATUS.unpack(self.request(node, MANAGER_BASE + ManagerWord.STATUS) or 0)
        return ManagerState(status["state"]), Answer(status["code"])

    # Barriers.

    def members(self, group: WireGroupPlan) -> list[int]:
        """Return the nodes of a group."""
        return [self.index(member) for member in group.members]

    def barrier(self, gid: int, rng: random.Random) -> int:
        """Let all members arrive, the farthest last; return the cycles to the last release.

        Raises
        ------
        AssertionError
            Anything but one release of each with what all have given.
        """
        group, model = self.groups[gid], self.model
        members = self.members(group)
        data = {node: rng.getrandbits(self.network.data_bits) for node in members}
        wanted = 0
        for value in data.values():
            wanted |= value
        far = max(members, key=lambda node: (self.depth(group, node), node))
        for node in rng.sample(members, len(members)):
            if node != far:
                self.step(arrive={(node, group.number): data[node]})
        self.rest(4 * group.bound)
        self.released.clear()
        begin = model.cycle
        self.step(arrive={(far, group.number): data[far]})
        self.rest(2 * group.bound)
        mine = [told for told in self.released if told[2] == group.number]
        assert sorted((node, result, broken) for _, node, _, result, broken in mine) == sorted(
            (node, wanted, False) for node in members
        )
        return max(cycle for cycle, *_ in mine) - begin

    def depth(self, group: WireGroupPlan, node: int) -> int:
        """Return the links from a member to the root."""
        if group.tree is None:
            return 0
        up = {child: parent for child, _, parent, _ in group.tree.edges}
        place = self.network.topology.node(node)
        own_link = group.root_switch is not None
        unit, links = (place[0], 1) if own_link else (node, 0)
        while unit in up:
            unit, links = up[unit], links + 1
        return links
