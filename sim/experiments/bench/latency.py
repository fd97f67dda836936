"""Barrier latency in cycles on an idle network, measured on the RTL; and schemes beside BTIN."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from syncfabric.models.layout.slots import WIRE_PLANNER
from syncfabric.models.networks.irregular import Place
from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import (
    GroupSpec,
    IrregularSpec,
    MessageSpec,
)
from syncfabric.sim.drive.backends import measure, plan_of
from syncfabric.sim.drive.run import run
from syncfabric.sim.drive.scenario import Policy, Scenario, SchemeOutcome
from syncfabric.sim.experiments.bench.measures import at_most, mesh, planned
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.experiments.frame import section
from syncfabric.sim.results import GroupResult

WAYS: tuple[tuple[str, dict[str, object]], ...] = (
    ("shortest", {}),
    ("shortest", {"message_links": "shared"}),
    ("btm", {"transport": "routed"}),
    ("shortest", {"transport": "routed"}),
    ("wires", {"wires": 1}),
    ("wires", {"wires": 1, "link_registers": 1}),
)
"""Planners of a mesh, and the keys that they are measured with."""
ON_SWITCHES: tuple[dict[str, object], ...] = (
    {},
    {"message_links": "shared"},
    {"transport": "routed"},
    {"wires": 1},
    {"wires": 1, "link_registers": 1},
)
OPTIONS: tuple[dict[str, object], ...] = (
    {},
    {"operations": "all"},
    {"check_bits": 8},
    {"engine_stages": 2},
)
TWELVE = 60
"""Cycles in which twelve groups at once are to be over."""


def alone(
    network: MessageSpec, members: Iterable[tuple[int, int]] | None = None, planner: str = ""
) -> GroupResult:
    """Run barriers of one group of some nodes, or all; each member is last once."""
    plan = plan_of(network, members, planner)
    result = run(plan, episodes=len(plan.groups[0].members))
    if not result.ok:
        raise RuntimeError(f"{network.topology}: {result.reason}")
    return result.groups[0]


@section
def barrier_latency() -> Iterator[Claim]:
    """Barrier latency, one group alone, idle mesh (cycles)."""
    fig1 = load("fig1").groups[0].members
    for planner, keys in WAYS:
        group = alone(mesh(8, 8, keys), fig1, planner)
        yield latency_row(f"8x8, Fig. 1's 14 members, {planner}, {_words(keys)}", group)
    for width, height in ((2, 2), (4, 4), (5, 3), (8, 8), (16, 16)):
        for planner, keys in WAYS:
            network = mesh(width, height, keys)
            group = alone(network, planner=planner)
            name = f"{width}x{height}, all members, {planner}"
            yield latency_row(f"{name}, {_words(keys)}", group)
            if keys == {"wires": 1} and width == height:
                assert group.latency is not None
                most, target = group.latency.max, network.topology.diameter + 6
                yield at_most(f"{name}: diameter + 6", most, target)


def _words(keys: dict[str, object]) -> str:
    return ", ".join(f"{key} {value}" for key, value in keys.items()) or "as it is"


@section
def options_latency() -> Iterator[Claim]:
    """What the options cost: barrier latency, least / median / greatest (cycles)."""
    for keys in OPTIONS:
        yield figure(f"8x8, all members, {_words(keys)}", _spread(alone(mesh(8, 8, keys))))


@section
def irregular_latency() -> Iterator[Claim]:
    """Barrier latency, one group alone, idle irregular network (cycles)."""
    for name in ("cluster-fig1", "cluster-19", "cluster-75"):
        drawn = load(name)
        for keys in ON_SWITCHES:
            network = IrregularSpec.model_validate(drawn.network.model_dump() | keys)
            members = drawn.groups[0].members if name == "cluster-fig1" else None
            group = alone(network, members)
            yield latency_row(f"{name}, {group.members} members, {_words(keys)}", group)


def _spread(group: GroupResult) -> str:
    assert group.latency is not None
    return f"{group.latency.min} / {group.latency.median:g} / {group.latency.max}"


def latency_row(name: str, group: GroupResult) -> Claim:
    """Return least, median and greatest beside the bound; on wires the greatest is the bound."""
    assert group.latency is not None
    assert group.bound is not None
    name = f"{name} (L {group.bound_links}, h {group.height})"
    most, bound = group.latency.max, group.bound
    if group.planner == WIRE_PLANNER:
        return figure(name, _spread(group), f"= {bound}", most == bound)
    return figure(name, _spread(group), f"<= {bound}", most <= bound)


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


SCHEMES = ("btin", "multicast", "unicast")
ALL = (*SCHEMES, "wires")
MEASURED: dict[Policy, tuple[str, ...]] = {"together": SCHEMES, "last": ("btin", "unicast")}
"""Multicast tells a group GO, which it takes once."""
SIZES = (8, 16, 32, 64)
TIME = "paper 3.8, 3.3"
"""Multicast over BTIN in paper BTIN, 256 members on 75 and on 300 switches."""
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
    kinds = [(policy, scheme) for policy, names in MEASURED.items() for scheme in names]
    scenarios = [
        Scenario(episodes=len(members) if policy == "last" else 1, scheme=scheme, policy=policy)
        for policy, scheme in kinds
    ]
    found: dict[tuple[str, str], SchemeOutcome] = {}
    outcomes = measure(plan_of(network, members, "btin"), scenarios)
    for kind, outcome in zip(kinds, outcomes, strict=True):
        assert outcome.scheme is not None
        found[kind] = outcome.scheme
    found |= {(policy, "wires"): on_wires for policy, on_wires in _on_wires(network, members)}
    name = f"{len(members)} members, buffer_flits {network.buffer_flits}"
    for policy, names in MEASURED.items():
        cycles = [max(found[policy, scheme].cycles) for scheme in (*names, "wires")]
        said = "all together" if policy == "together" else "worst, one late"
        yield figure(f"{name}, {said}", _beside(cycles), TIME if policy == "together" else "")
    for said, beside in (("with nodes' own", True), ("between switches", False)):
        each = [found["together", scheme] for scheme in ALL]
        links = [one.between[0] + beside * one.beside[0] for one in each]
        yield figure(f"{name}, links {said}", _beside(links), TRAFFIC[beside])


def _on_wires(
    network: IrregularSpec, members: tuple[Place, ...]
) -> Iterator[tuple[Policy, SchemeOutcome]]:
    """Yield what the same group takes on wires; its links are those of its tree, up and down."""
    wired = IrregularSpec.model_validate(network.model_dump() | {"wires": 1})
    plan = plan_of(wired, members)
    (group,) = plan.engine_groups
    policies: dict[Policy, int] = {"together": 1, "last": len(members)}
    scenarios = [Scenario(episodes=n, policy=policy) for policy, n in policies.items()]
    for policy, outcome in zip(policies, measure(plan, scenarios), strict=True):
        cycles = outcome.groups[0].latency
        yield policy, SchemeOutcome(cycles, [2 * len(group.tree.edges)], [2 * len(members)])


def _beside(values: list[int]) -> str:
    """Return the figures of BTIN and of all others, and these over BTIN's."""
    first, *others = values
    ratios = " / ".join(f"{other / first:.1f}" for other in others)
    return f"{' / '.join(map(str, values))}; {ratios} times"
