"""Groups made by hand, as a plan would have them."""

from dataclasses import dataclass
from typing import Any

from syncfabric.models.golden.record import Record
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import STEP, Node, Port
from syncfabric.models.networks.spec import NetworkSpec, StaticSpec
from syncfabric.models.planning.free_links import Routes
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.ring import Least, Ring
from syncfabric.models.planning.ring_construct import ring_of
from tests.models.golden.static_bench import Group, ready_bench


@dataclass(frozen=True)
class Drawn:
    """A group of the test benches in place of a planned ring or tree."""

    graph: Irregular
    group: Group

    @property
    def root(self) -> Node:
        return self.group.root

    def routes(self, members: object) -> Routes:
        number = self.graph.number
        return {(number(node), port): source for (node, port), source in self.group.routes.items()}


def around(group: Group) -> list[Node]:
    """Return the switches that a ring passes, from its root on."""
    onward = {(here, s): port for (here, port), s in group.routes.items() if port != Port.LOCAL}
    switches, source = [group.root], Port.LOCAL
    while (port := onward.get((switches[-1], source))) is not None:
        x, y = switches[-1]
        switches.append((x + STEP[port][0], y + STEP[port][1]))
        source = port.opposite
    return switches[:-1]


def planned(gid: int, group: Group, spec: StaticSpec) -> GroupPlan:
    """Return what stands for a planned group."""
    flits = group.flits(spec) if group.tree else None
    shape: Any = Drawn(spec.graph, group)
    if not group.tree and len(group.members) > 1:
        shape = Ring(
            spec.graph,
            group.root,
            ring_of(spec.graph, [*map(spec.graph.number, around(group))]),
            Least(0, "sides"),
        )
    return GroupPlan(gid, "or", "", tuple(group.members), shape, 0, 0, flits=flits)


def plan_of(spec: StaticSpec, *groups: Group) -> BarrierPlan:
    """Return a plan with these groups, numbered from 0."""
    network = NetworkSpec.model_construct(name="static", network=spec, groups=())
    return BarrierPlan(network, tuple(planned(i, group, spec) for i, group in enumerate(groups)))


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
    bench.quiesce()
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
