"""Barrier latency on an idle network, in cycles, measured on the RTL."""

from collections.abc import Iterator

from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import (
    GroupSpec,
    IrregularSpec,
    MeshSpec,
    MessageSpec,
    NetworkSpec,
)
from syncfabric.models.networks.wires import WIRE_PLANNER
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.drive.run import run
from syncfabric.sim.figures.row import Row
from syncfabric.sim.results import GroupResult

WAYS: tuple[tuple[str, dict[str, object]], ...] = (
    ("btm", {"barrier_pipeline": 0}),
    ("shortest", {"barrier_pipeline": 0}),
    ("btm", {"barrier_pipeline": 1}),
    ("shortest", {"barrier_pipeline": 1}),
    ("wires", {"sync": "wires", "link_registers": 0}),
    ("wires", {"sync": "wires", "link_registers": 1}),
)
"""Planners of a mesh, and the keys that they are measured with."""
ON_WIRES: tuple[dict[str, object], ...] = (
    {"sync": "wires"},
    {"sync": "wires", "link_registers": 1},
)

__all__ = [
    "barrier_latency",
    "everybody",
    "irregular_latency",
    "latency_row",
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
            if planner != "btm" and width == height and not list(keys.values())[-1]:
                yield _near_light(name, network, group)


def _mesh(width: int, height: int, keys: dict[str, object]) -> MeshSpec:
    shape = {"kind": "mesh", "width": width, "height": height}
    return MeshSpec.model_validate({**shape, **keys})


def _words(keys: dict[str, object]) -> str:
    return ", ".join(f"{key} {value}" for key, value in keys.items() if key != "sync")


def irregular_latency() -> Iterator[Row]:
    """Barrier latency, one group alone, idle irregular network (cycles)."""
    ways: list[dict[str, object]] = [
        {"cycles_per_hop": cycles, "turnaround": turnaround}
        for cycles in (1, 2)
        for turnaround in ("switch", "node")
    ]
    for name in ("cluster-fig1", "cluster-19", "cluster-75"):
        drawn = load(name)
        for keys in (*ways, *ON_WIRES):
            network = IrregularSpec.model_validate(drawn.network.model_dump() | keys)
            members = drawn.groups[0].members if name == "cluster-fig1" else network.nodes
            group = measure(network, (GroupSpec(id=1, members=members),))
            words = ", ".join(f"{key} {value}" for key, value in keys.items())
            yield latency_row(f"{name}, {group.members} members, {words}", group)


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
    target = network.mesh.diameter + 6
    return Row(
        f"{name}: diameter + 6",
        str(group.latency.max),
        f"<= {target}",
        group.latency.max <= target,
    )


def options_latency() -> Iterator[Row]:
    """What the options cost: barrier latency, least / median / greatest (cycles)."""
    plain = MeshSpec(kind="mesh", width=8, height=8)
    options: tuple[dict[str, str], ...] = (
        {},
        {"sync_links": "own"},
        {"operations": "all"},
    )
    for keys in options:
        name = ", ".join(f"{key} = {value}" for key, value in keys.items()) or "as it is"
        network = MeshSpec.model_validate(plain.model_dump() | keys)
        group = measure(network, everybody(network))
        yield Row(f"8x8, all members, {name}", _spread(group))
