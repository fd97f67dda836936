"""Barrier latency on an idle network, in cycles, measured on the RTL."""

from collections.abc import Iterator

from syncfabric.models.layout.slots import WIRE_PLANNER
from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import (
    GroupSpec,
    IrregularSpec,
    MeshSpec,
    MessageSpec,
    NetworkSpec,
)
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.drive.run import run
from syncfabric.sim.drive.scenario import Job, Scenario
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.fabric import build_fabric
from syncfabric.sim.figures.row import Row
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
TWELVE = 60
"""Cycles in which twelve groups at once are to be over."""

__all__ = [
    "barrier_latency",
    "everybody",
    "irregular_latency",
    "latency_row",
    "many_groups",
    "measure",
    "options_latency",
]


def measure(network: MessageSpec, groups: tuple[GroupSpec, ...], episodes: int = 0) -> GroupResult:
    """Run the first group's barriers alone, each member last once; return its result."""
    spec = NetworkSpec(name="figure", network=network, groups=groups)
    episodes = episodes or max(len(group.members) for group in groups)
    result = run(make_plan(spec), episodes=episodes)
    if not result.ok:
        raise RuntimeError(f"{network.topology}: {result.reason}")
    return result.groups[0]


def everybody(network: MessageSpec, planner: str = "") -> tuple[GroupSpec, ...]:
    """Return one group of all nodes."""
    return (GroupSpec(id=1, members=tuple(network.topology.nodes), planner=planner),)


def barrier_latency() -> Iterator[Row]:
    """Barrier latency, one group alone, idle mesh (cycles)."""
    fig1 = load("fig1").groups[0].members
    for planner, keys in WAYS:
        network = _mesh(8, 8, keys)
        group = measure(network, (GroupSpec(id=1, members=fig1, planner=planner),))
        yield latency_row(f"8x8, Fig. 1's 14 members, {planner}, {_words(keys)}", group)
    for width, height in ((2, 2), (4, 4), (5, 3), (8, 8), (16, 16)):
        for planner, keys in WAYS:
            network = _mesh(width, height, keys)
            group = measure(network, everybody(network, planner))
            name = f"{width}x{height}, all members, {planner}"
            yield latency_row(f"{name}, {_words(keys)}", group)
            if keys == {"wires": 1} and width == height:
                yield _near_light(name, network, group)


def _mesh(width: int, height: int, keys: dict[str, object]) -> MeshSpec:
    shape = {"kind": "mesh", "width": width, "height": height}
    return MeshSpec.model_validate({**shape, **keys})


def _words(keys: dict[str, object]) -> str:
    return ", ".join(f"{key} {value}" for key, value in keys.items()) or "as it is"


def irregular_latency() -> Iterator[Row]:
    """Barrier latency, one group alone, idle irregular network (cycles)."""
    for name in ("cluster-fig1", "cluster-19", "cluster-75"):
        drawn = load(name)
        for keys in ON_SWITCHES:
            network = IrregularSpec.model_validate(drawn.network.model_dump() | keys)
            members = drawn.groups[0].members if name == "cluster-fig1" else network.nodes
            group = measure(network, (GroupSpec(id=1, members=members),))
            yield latency_row(f"{name}, {group.members} members, {_words(keys)}", group)


def _spread(group: GroupResult) -> str:
    assert group.latency is not None
    return f"{group.latency.min} / {group.latency.median:g} / {group.latency.max}"


def latency_row(name: str, group: GroupResult) -> Row:
    """Return least, median and greatest beside the bound; on wires the greatest is the bound."""
    assert group.latency is not None
    assert group.bound is not None
    exact = group.planner == WIRE_PLANNER
    return Row(
        f"{name} (L {group.bound_links}, h {group.height})",
        _spread(group),
        f"{'=' if exact else '<='} {group.bound}",
        group.latency.max == group.bound if exact else group.latency.max <= group.bound,
    )


def _near_light(name: str, network: MeshSpec, group: GroupResult) -> Row:
    assert group.latency is not None
    target = network.topology.diameter + 6
    return Row(
        f"{name}: diameter + 6",
        str(group.latency.max),
        f"<= {target}",
        group.latency.max <= target,
    )


def options_latency() -> Iterator[Row]:
    """What the options cost: barrier latency, least / median / greatest (cycles)."""
    options: tuple[dict[str, object], ...] = (
        {},
        {"operations": "all"},
        {"check_bits": 8},
        {"engine_stages": 2},
    )
    for keys in options:
        network = _mesh(8, 8, keys)
        group = measure(network, everybody(network))
        yield Row(f"8x8, all members, {_words(keys)}", _spread(group))


def many_groups() -> Iterator[Row]:
    """Groups of all members of 4x4 at once, idle mesh: cycles to the last release."""
    for groups in (4, 8, 12, 16):
        network = _mesh(4, 4, {"channels": 0})
        members = tuple(network.topology.nodes)
        everyone = tuple(GroupSpec(id=i + 1, members=members) for i in range(groups))
        latest = at_once(NetworkSpec(name="figure", network=network, groups=everyone))
        row = f"{groups} groups", f"{latest}"
        yield Row(*row, f"<= {TWELVE}", latest <= TWELVE) if groups == 12 else Row(*row)


def at_once(spec: NetworkSpec) -> int:
    """Return the cycles from the arrival of all members of all groups to the last release."""
    job = Job(((make_plan(spec), Scenario(episodes=1, policy="together")),))
    (outcome,) = simulate_tiles(job, build_fabric(spec.network)).outcomes
    if outcome.mismatches or outcome.hang:
        raise RuntimeError(f"{spec.network}: {outcome.mismatches or outcome.hang}")
    return max(group.latency[0] for group in outcome.groups)
