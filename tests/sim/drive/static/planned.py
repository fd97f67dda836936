"""Groups made by hand, as a plan would have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from syncfabric.models.golden.record import Record
from syncfabric.models.networks.mesh import Node, Port
from syncfabric.models.networks.spec import NetworkSpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.route_chain import Output
from tests.models.golden.static_bench import Group, ready_bench


@dataclass(frozen=True)
class Planned:
    """A group of the test benches, with what planned groups have."""

    id: int
    group: Group
    spec: StaticSpec

    @property
    def members(self) -> Sequence[Node]:
        return self.group.members

    @property
    def root(self) -> Node:
        return self.group.root

    @property
    def flits(self) -> int | None:
        return self.group.flits(self.spec) if self.group.tree else None

    @property
    def op(self) -> str:
        return "or"

    @property
    def places(self) -> dict[Node, int]:
        return dict.fromkeys(self.members, 0)

    def routes(self) -> dict[Output, Port]:
        return {(*node, port): source for (node, port), source in self.group.routes.items()}


def plan_of(spec: StaticSpec, *groups: Group) -> BarrierPlan:
    """Return a plan with these groups, numbered from 0."""
    network = NetworkSpec.model_construct(name="static", network=spec, groups=())
    planned = tuple(Planned(gid, group, spec) for gid, group in enumerate(groups))
    return BarrierPlan(network, planned)  # type: ignore[arg-type]


Cycle = tuple[int, Record]


def recorded(spec: StaticSpec, group: Group, episodes: int, late: int = 0) -> list[Cycle]:
    """Return the wires from the first cycle on, members arriving in the cycle of their release.

    The last member arrives ``late`` cycles after its release.
    """
    bench = ready_bench(spec)
    bench.groups = [group]
    cycles: list[Cycle] = []
    tick = bench.model.step

    def step(**inputs: object) -> None:
        now, record = bench.model.cycle, tick(**inputs)  # type: ignore[arg-type]
        if record is not None:
            cycles.append((now, record))

    bench.clock = step
    bench.load()
    bench.begin(group)
    bench.settle()
    nodes = [bench.mesh.index(node) for node in group.members]
    left = dict.fromkeys(nodes, episodes)
    due = dict.fromkeys(nodes, bench.model.cycle) | {nodes[-1]: bench.model.cycle + late}
    while any(left.values()) or bench.model.idle_until() is not None:
        coming = [node for node in nodes if left[node] and due.get(node) == bench.model.cycle]
        for node in coming:
            left[node] -= 1
        bench.step(arrive={(node, 0): 0 for node in coming})
        for node, _, _ in bench.model.release:
            due[node] = bench.model.cycle + late * (node == nodes[-1])
    return cycles
