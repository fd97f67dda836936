"""Barriers in cycles on the RTL: a group alone, many at once, beside others, and other schemes."""

import random
from collections.abc import Iterator, Mapping, Sequence

from syncfabric.models.layout.slots import WIRE_PLANNER
from syncfabric.models.networks.families import named
from syncfabric.models.networks.irregular import Place
from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import GroupSpec, IrregularSpec, MessageSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.backends import measure
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.experiments.alone import LAST, Took, Wish, alone
from syncfabric.sim.experiments.bench.measures import TOPOLOGIES, at_most, mesh, network_of, planned
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.experiments.frame import section
from syncfabric.sim.spread import Spread
from syncfabric.sim.tables import cell

Keys = Mapping[str, object]
Members = Sequence[tuple[int, int]] | None

CLUSTERS = ("cluster-fig1", "cluster-19", "cluster-75")
VARIANTS: tuple[tuple[str, Keys], ...] = (
    ("shortest", {}),
    ("shortest", {"message_links": "shared"}),
    ("btm", {"transport": "routed"}),
    ("shortest", {"transport": "routed"}),
    ("wires", {"wires": 1}),
    ("wires", {"wires": 1, "link_registers": 1}),
)
"""Planners of a mesh, and the keys that they are measured with."""
ON_SWITCHES: tuple[Keys, ...] = (
    {},
    {"message_links": "shared"},
    {"wires": 1},
    {"wires": 1, "link_registers": 1},
)
OPTIONS: tuple[Keys, ...] = ({}, {"operations": "all"}, {"check_bits": 8}, {"engine_stages": 2})
TWELVE = 60
"""Cycles in which twelve groups at once are to be over."""


def latency_row(name: str, group: GroupPlan, found: Sequence[Took]) -> Claim:
    """Return what ``alone`` has measured: least, median and greatest beside the bound.

    On wires the greatest is the bound.
    """
    (took,) = found
    bound, wires = group.bound, group.planner == WIRE_PLANNER
    assert bound is not None
    met = took.worst == bound if wires else took.worst <= bound
    words = f"{name} (L {group.bound_links}, h {group.height})"
    return figure(words, cell(Spread.of(took.cycles)), f"{'=' if wires else '<='} {bound}", met)


def _words(keys: Keys) -> str:
    return ", ".join(f"{key} {value}" for key, value in keys.items()) or "as it is"


def _fig_1(name: str) -> Members:
    """Return the members of paper BTM's or BTIN's Fig. 1 on its network; on others all."""
    return load(name).groups[0].members if name.endswith("fig1") else None


@section
def barrier_latency() -> Iterator[Claim]:
    """Barrier latency, one group alone, idle mesh (cycles)."""
    for planner, keys in VARIANTS:
        name = f"8x8, Fig. 1's 14 members, {planner}, {_words(keys)}"
        yield latency_row(name, *alone(mesh(8, 8, keys), _fig_1("fig1"), planner))
    for width, height in ((2, 2), (4, 4), (5, 3), (8, 8), (16, 16)):
        for planner, keys in VARIANTS:
            network = mesh(width, height, keys)
            name = f"{width}x{height}, all members, {planner}"
            group, found = alone(network, planner=planner)
            yield latency_row(f"{name}, {_words(keys)}", group, found)
            if keys == {"wires": 1} and width == height:
                limit = network.topology.diameter + 6
                yield at_most(f"{name}: diameter + 6", found[0].worst, limit)


@section
def options_latency() -> Iterator[Claim]:
    """What the options cost: barrier latency, least / median / greatest (cycles)."""
    for keys in OPTIONS:
        _, (took,) = alone(mesh(8, 8, keys))
        yield figure(f"8x8, all members, {_words(keys)}", cell(Spread.of(took.cycles)))


@section
def irregular_latency() -> Iterator[Claim]:
    """Barrier latency, one group alone, idle irregular network (cycles)."""
    for name in CLUSTERS:
        for keys in ON_SWITCHES:
            drawn = load(name).network.model_dump()
            yield _on_cluster(name, IrregularSpec.model_validate(drawn | dict(keys)), _words(keys))


def _on_cluster(name: str, network: IrregularSpec, words: str) -> Claim:
    members = _fig_1(name) or network.nodes
    return latency_row(f"{name}, {len(members)} members, {words}", *alone(network, members))


@section
def many_groups() -> Iterator[Claim]:
    """Groups of all members of 4x4 at once, idle mesh: cycles to the last release."""
    for groups in (4, 8, 12, 16):
        network = mesh(4, 4, {"channels": 0})
        members = tuple(network.topology.nodes)
        everyone = [GroupSpec(id=i + 1, members=members) for i in range(groups)]
        (outcome,) = measure(planned(network, everyone), [Scenario(episodes=1, policy="together")])
        latest = max(group.latency[0] for group in outcome.groups)
        target = (f"<= {TWELVE}", latest <= TWELVE) if groups == 12 else ()
        yield figure(f"{groups} groups", f"{latest}", *target)


ALONE: Keys = {"wires": 1, "channels": 0, "setup": "local"}
"""A network without packets."""
SIDES = (4, 8, 16)
REGISTERS = range(4)
RANDOM = {8: 12, 16: 32}
"""Members drawn with seed 1, by the side of their mesh."""
WIRE_OPTIONS: tuple[Keys, ...] = (
    {"wires": 1, "channels": 0, "check_bits": 8, "data_bits": 32},
    {"wires": 1, "channels": 0, "watchdog": 1000},
    {"wires": 16},
    {"wires": 1, "message_links": "shared"},
)


@section
def wire_latency() -> Iterator[Claim]:
    """Barrier wires: latency of one group, exactly the bound (cycles)."""
    for side in SIDES:
        for registers in REGISTERS:
            network = mesh(side, side, {**ALONE, "link_registers": registers})
            name = f"{side}x{side}, all members, link_registers {registers}"
            yield latency_row(name, *alone(network))
        if side in RANDOM:
            network = mesh(side, side, ALONE)
            members = random.Random(1).sample(network.topology.nodes, RANDOM[side])
            name = f"{side}x{side}, {len(members)} random members"
            yield latency_row(name, *alone(network, members))
    for name in CLUSTERS:
        for registers in REGISTERS:
            cluster = _cluster(name, {**ALONE, "link_registers": registers})
            yield _on_cluster(name, cluster, f"link_registers {registers}")
    for keys in WIRE_OPTIONS:
        words = ", ".join(f"{key} = {value}" for key, value in keys.items())
        name = f"8x8, all members, {words}"
        yield latency_row(name, *alone(mesh(8, 8, keys), planner="wires"))


def _cluster(name: str, keys: Keys) -> IrregularSpec:
    """Return a ready-made network with other keys; all that is about packets as by default."""
    drawn = load(name).network.model_dump()
    shape = {key: drawn[key] for key in ("kind", "ports", "switches", "links", "nodes")}
    return IrregularSpec.model_validate({**shape, **keys})


MANY_GROUPS: tuple[tuple[str, int], ...] = (("8x8", 4), ("8x8", 8), ("16x16", 8), ("cluster-75", 4))
"""Networks and their slots; there are as many groups, of random members."""
FEWEST, MOST = 8, 64
EPISODES = 100
LOADS = {"all at once": 0.0, "and packets at 0.05": 0.05}
"""Ordinary traffic, in flits a node a cycle."""


@section
def wires_beside() -> Iterator[Claim]:
    """Barrier wires beside others: what other groups and packets add to each episode (cycles)."""
    for name, slots in MANY_GROUPS:
        wired = _network(name, {"wires": slots})
        rng, nodes = random.Random(1), tuple(wired.topology.nodes)
        groups = [
            GroupSpec(id=number, members=tuple(rng.sample(nodes, rng.randint(FEWEST, MOST))))
            for number in range(1, slots + 1)
        ]
        words = f"{name}, {slots} groups of {FEWEST} to {MOST}"
        plan = planned(wired, groups)
        by_itself = [_latencies(part, 0.0)[0] for part in _parts(plan)]
        for what, rate in LOADS.items():
            found = _latencies(plan, rate)
            both = zip(by_itself, found, strict=True)
            same = [one == other for a, b in both for one, other in zip(a, b, strict=True)]
            words_ = f"wires, {words}, {what}: episodes as long as alone"
            yield figure(words_, f"{sum(same):,} of {len(same):,}", "all", all(same))
        plan = planned(_network(name, {}), groups)
        for what, rate in LOADS.items():
            over = [
                cycles - group.bound
                for group, found in zip(plan.groups, _latencies(plan, rate), strict=True)
                for cycles in found
                if group.bound is not None
            ]
            longer = f"{sum(more > 0 for more in over):,} of {len(over):,}, {max(over)} cycles"
            words_ = f"messages, {words}, {what}: longer than ever alone, by how much at most"
            yield figure(words_, longer)


def _network(name: str, keys: Keys) -> MessageSpec:
    side = name.partition("x")[0]
    return mesh(int(side), int(side), keys) if side.isdigit() else _cluster(name, keys)


def _parts(plan: BarrierPlan) -> Iterator[BarrierPlan]:
    """Yield each group by itself, its tree and slot as beside the others."""
    for group, drawn in zip(plan.groups, plan.spec.groups, strict=True):
        yield BarrierPlan(plan.spec.model_copy(update={"groups": (drawn,)}), (group,))


def _latencies(plan: BarrierPlan, rate: float) -> list[list[int]]:
    """Return what each episode of each group takes.

    A group's arrivals are drawn by its id and by nothing else: if its latencies are those that it
    has alone, so are its arrivals, and one cycle more anywhere shows in all that follows.
    """
    scenario = Scenario(episodes=EPISODES, policy="mixed", background=rate)
    (outcome,) = measure(plan, [scenario])
    return [group.latency for group in outcome.groups]


SCHEMES = ("btin", "multicast", "unicast")
TOGETHER: Wish = ("together", 0)
MEASURED: tuple[tuple[str, Wish, tuple[str, ...], str], ...] = (
    ("all together", TOGETHER, SCHEMES, "paper 3.8, 3.3"),
    ("worst, one late", LAST, ("btin", "unicast"), ""),
)
"""In words, when members arrive, and schemes: multicast sends a group GO, which it takes once. At
last multicast over BTIN in paper BTIN, 256 members on 75 and on 300 switches."""
SIZES = (8, 16, 32, 64)
TRAFFIC = {True: "paper 46.8, 88.6; counted 2.8, 2.6", False: "counted 7.0-7.4, 3.3-3.7"}
"""The same in links, and what counting the links of such networks gives (nodes' own or not)."""


@section
def schemes() -> Iterator[Claim]:
    """Schemes of irregular networks: BTIN, multicast, unicast, wires on cluster-19 (cycles)."""
    drawn = load("cluster-19").network.model_dump()
    for buffer_flits in (1, 8):
        keys = {"setup": "manager", "buffer_flits": buffer_flits}
        network = IrregularSpec.model_validate(drawn | keys)
        for count in SIZES:
            # As { random = count, seed = 1 } draws them, or all.
            some = count < len(network.nodes)
            nodes = tuple(random.Random(1).sample(network.nodes, count)) if some else network.nodes
            yield from _compare(network, nodes)


def _compare(network: IrregularSpec, members: tuple[Place, ...]) -> Iterator[Claim]:
    """Measure the schemes with all members together, and with each member last once."""
    wired = IrregularSpec.model_validate(network.model_dump() | {"wires": 1})
    name = f"{len(members)} members, buffer_flits {network.buffer_flits}"
    asked = [(scheme, wish) for _, wish, names, _ in MEASURED for scheme in names]
    found = dict(zip(asked, alone(network, members, "btin", asked)[1], strict=True))
    wishes = [wish for _, wish, _, _ in MEASURED]
    group, on_wires = alone(wired, members, asked=[("", wish) for wish in wishes])
    found |= {("wires", wish): took for wish, took in zip(wishes, on_wires, strict=True)}
    for said, wish, names, paper in MEASURED:
        worst = [found[scheme, wish].worst for scheme in (*names, "wires")]
        yield figure(f"{name}, {said}", _beside(worst), paper)
    # On wires those of the tree, up and down.
    together = [found[scheme, TOGETHER] for scheme in SCHEMES]
    passed = [(took.between, took.beside) for took in together]
    passed.append((2 * len(group.tree.edges), 2 * len(members)))
    for said, own in (("with nodes' own", True), ("between switches", False)):
        links = [between + own * beside for between, beside in passed]
        yield figure(f"{name}, links {said}", _beside(links), TRAFFIC[own])


def _beside(values: list[int]) -> str:
    """Return the figures of BTIN and of all others, and these over BTIN's."""
    first, *others = values
    ratios = " / ".join(f"{other / first:.1f}" for other in others)
    return f"{' / '.join(map(str, values))}; {ratios} times"


LATE: Wish = ("late", 200)


@section
def topology_barriers() -> Iterator[Claim]:
    """Barriers on topologies, all nodes, each last once: least / median / greatest (cycles)."""
    for name in TOPOLOGIES:
        network = network_of(name)
        nodes = len(network.topology.graph.nodes)
        group, (last, late) = alone(network, asked=[("", LAST), ("", LATE)])
        yield latency_row(f"{name}, {nodes} nodes", group, [last])
        words = f"{name}, the others long before: greatest, bound if nothing waits"
        same = late.worst == group.bound_least
        yield figure(words, f"{late.worst}", f"= {group.bound_least}", same)
        wired, (there,) = alone(network_of(name, wires=1), asked=[("", LATE)])
        words = f"{name}, on wires, the others long before: greatest, bound"
        yield figure(words, f"{there.worst}", f"= {wired.bound}", there.worst == wired.bound)
        if named(name).grid and network.topology.graph.own:
            routed = network_of(name, transport="routed", channels="")
            yield latency_row(f"{name}, {nodes} nodes, btm", *alone(routed))
