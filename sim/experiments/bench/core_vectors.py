"""Vectors in streams, alone on the RTL; and of many cores, in streams and by software."""

import random
from collections.abc import Iterator, Mapping, Sequence
from statistics import mean

from syncfabric.models.layout.slots import WIRE_PLANNER
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import GroupSpec, NetworkSpec
from syncfabric.sim.cores.compile import MEMORY_KIB
from syncfabric.sim.experiments.bench.measures import last_to_last, mesh, run_cores
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.experiments.frame import section
from syncfabric.sim.network import Network
from syncfabric.sim.results import RunResult
from syncfabric.sim.vectors import StreamRequest

_ALONE: Mapping[str, object] = {"wires": 1, "streams": 1, "channels": 0}
_SHARED: Mapping[str, object] = {"channels": 1, "stream_links": "shared"}
OPERATIONS: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("add.i32", {}),
    ("add.i32", {"link_registers": 1}),
    ("max.i16", {"stream_operations": ["integer"]}),
    ("add.bf16", {"stream_operations": ["bf16"]}),
    ("add.f32", {"stream_operations": ["fp32"]}),
    ("add.i32", _SHARED),
    ("add.i32", {**_SHARED, "output_register": True}),
)
"""Operations, and the keys that they are measured with."""


@section
def streams() -> Iterator[Claim]:
    """Streams: all-reduce by all, first and last word after the last call (cycles)."""
    for side in (4, 8, 16):
        for words in (1, 16, 256):
            yield _row(side, words, "add.i32", {})
    for op, keys in OPERATIONS[1:]:
        yield _row(8, 256, op, keys)
    for load in (0.0, 0.1, 1.0):
        yield _beside_packets(8, 1024, load)
    for links in ("own", "shared"):
        yield _beside_barriers(8, links)


def _beside_packets(side: int, words: int, load: float) -> Claim:
    found = _run(side, words, "add.i32", _SHARED, load)
    (took,) = found.streams or ()
    rate, accepted = took.rate or 0.0, found.traffic.accepted
    name = f"{side}x{side}, {words} words, links shared with packets of {load:g} flits a node"
    measured = f"{rate:.3g} words, {accepted:.3g} flits a node"
    return figure(name, measured, ">= 0.75 words a cycle", found.ok and rate >= 0.745)


def _beside_barriers(side: int, links: str) -> Claim:
    """Compare barriers of six groups, two of which have streams, with and without these."""
    keys = {**_SHARED, "stream_links": links, "wires": 4, "streams": 2}
    network, rng = mesh(side, side, keys), random.Random(1)
    nodes = tuple(network.topology.nodes)
    groups = [GroupSpec(id=1, members=nodes, planner=WIRE_PLANNER, stream=True)]
    for i in range(2, 7):
        members = tuple(rng.sample(nodes, len(nodes) // 3))
        planner = WIRE_PLANNER if i < 5 else "shortest"
        groups.append(GroupSpec(id=i, members=members, planner=planner, stream=i == 2))
    whole = Network(NetworkSpec(name="beside", network=network, groups=tuple(groups)))
    request = StreamRequest("allreduce", 1024, "add.i32")
    found = [whole.run(episodes=50, background=0.2, stream=what) for what in (None, request)]
    without, beside = ([group.latency for group in one.groups] for one in found)
    other = sum(one != two for one, two in zip(without, beside, strict=True))
    rate = min(took.rate or 0.0 for took in found[1].streams or ())
    name = f"{side}x{side}, links {links}, two streams, packets of 0.2 flits a node, 50 barriers"
    measured = f"{other} of {len(groups)} groups take other cycles; {rate:.3g} words"
    met = all(one.ok for one in found) and not other
    return figure(f"{name} of each group", measured, "as without streams", met)


def _run(
    side: int, words: int, op: str, keys: Mapping[str, object], load: float = 0.0
) -> RunResult:
    network = mesh(side, side, {**_ALONE, **keys})
    members = tuple(network.topology.nodes)
    group = GroupSpec(id=1, members=members, planner=WIRE_PLANNER, stream=True)
    return Network(NetworkSpec(name="streams", network=network, groups=(group,))).run(
        episodes=1, background=load, stream=StreamRequest("allreduce", words, op)
    )


def _row(side: int, words: int, op: str, keys: Mapping[str, object]) -> Claim:
    found = _run(side, words, op, keys)
    (took,) = found.streams or ()
    said = ", ".join(f"{key} {value}" for key, value in keys.items())
    name = f"{side}x{side}, {words} words, {op}{', ' * bool(said)}{said}"
    if took.first is None or took.last is None or took.bound is None:
        return figure(name, "no result", "a result", met=False)
    most = took.bound + words - 1
    met = found.ok and took.checked and took.first <= took.bound and took.last <= most
    return figure(name, f"{took.first} / {took.last}", f"<= {took.bound} / {most}", met)


SIDES = (4, 8)
KIBS = (1, 4, 16, 32)
"""Of a vector."""
KINDS = ("broadcast", "reduce", "all-reduce")
"""As ``collectives.c`` counts them."""
STREAM: Mapping[str, str] = {"BY": "0"}
SOFTWARE: dict[str, Mapping[str, str]] = {
    "chains, rings": {"BY": "2", "SF_SHORT": "0"},
    "halves": {"BY": "2", "SF_SHORT": "8192"},
    "tree": {"BY": "3"},
}
"""Methods over messages; the last one is tried with broadcasts of at most ``MOST_BY_TREE`` KiB."""
MOST_BY_TREE = 4
ROOM_KIB = 128
"""Memory of a core for two vectors of the longest."""
PROGRAMS: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("gemm", {"SIZE": "16"}),
    ("gemm", {"SIZE": "32"}),
    ("sgd", {}),
    ("softmax", {}),
)
METHODS = ("streams", "barriers", "messages")
"""As ``methods.h`` counts them."""
_KEYS = {"channels": 2, "groups": 4, "data_bits": 32, "operations": "all"}


def all_cores(side: int) -> NetworkSpec:
    """Return a square mesh whose nodes have a stream, sums and maxima: ``vectors-4x4``."""
    network = mesh(side, side, _KEYS | {"wires": 1, "streams": 1, "stream_operations": ["integer"]})
    everyone = tuple(network.topology.nodes)
    groups = (
        GroupSpec(id=1, members=everyone, stream=True),
        GroupSpec(id=2, members=everyone, op="sum"),
        GroupSpec(id=3, members=everyone, op="max"),
    )
    return NetworkSpec(name=f"vectors-{side}x{side}", network=network, groups=groups)


def rows_and_columns(side: int) -> NetworkSpec:
    """Return a square mesh with streams along rows and columns: ``vectors-rows``."""
    network = mesh(side, side, _KEYS | {"wires": 2, "streams": 2})
    rows: list[tuple[Node, ...]] = [tuple((x, y) for x in range(side)) for y in range(side)]
    columns: list[tuple[Node, ...]] = [tuple((x, y) for y in range(side)) for x in range(side)]
    groups = [GroupSpec(id=1, members=tuple(network.topology.nodes))]
    for first, lines in ((10, rows), (30, columns)):
        groups += (GroupSpec(id=i, members=m, stream=True) for i, m in enumerate(lines, first))
    groups += (GroupSpec(id=i, members=m, op="sum") for i, m in enumerate(rows, 50))
    groups += (GroupSpec(id=i, members=m) for i, m in enumerate(columns, 70))
    return NetworkSpec(name="vectors-rows", network=network, groups=tuple(groups))


def pairs() -> NetworkSpec:
    """Return a 4x4 mesh with a stream for each edge of a binomial tree of its nodes."""
    network = mesh(4, 4, _KEYS | {"wires": 4, "streams": 4})
    nodes = network.topology.nodes
    edges = ((child & child - 1, child) for child in range(1, len(nodes)))  # without its lowest bit
    groups = (
        GroupSpec(id=100 + child, members=(nodes[parent], nodes[child]), stream=True)
        for parent, child in edges
    )
    everyone = GroupSpec(id=1, members=tuple(nodes))
    return NetworkSpec(name="pairs", network=network, groups=(everyone, *groups))


def took(name: str, spec: NetworkSpec, defines: Mapping[str, str], kib: int = MEMORY_KIB) -> int:
    """Return the cycles of a program from the last core's begin to the last one's end."""
    cores, boot = len(spec.network.topology.nodes), {"SF_BOOT_BYTES": "2048"}
    result, _ = run_cores(name, spec, "engine", cores, {**boot, **defines}, kib)
    return round(last_to_last(result))


def collective(spec: NetworkSpec, kind: str, kib: int) -> tuple[int, dict[str, int]]:
    """Return the cycles of a vector in its stream, and by each method over messages."""
    given = {"WORDS": str(256 * kib), "KIND": str(KINDS.index(kind))}
    software = {
        method: took("collectives", spec, given | dict(macros), ROOM_KIB)
        for method, macros in SOFTWARE.items()
        if method != "tree" or (kind == "broadcast" and kib <= MOST_BY_TREE)
    }
    return took("collectives", spec, given | dict(STREAM), ROOM_KIB), software


@section
def core_vectors() -> Iterator[Claim]:
    """Vectors of cores: streams, and the best over messages, 1 to 32 KiB (cycles)."""
    for side in SIDES:
        spec = all_cores(side)
        for kind in KINDS:
            ratios = list[float]()
            for kib in KIBS:
                stream, software = collective(spec, kind, kib)
                best = min(software, key=software.__getitem__)
                ratios.append(software[best] / stream)
                words = ", ".join(f"{method} {cycles:,}" for method, cycles in software.items())
                measured = f"{stream:,}; {words}: {ratios[-1]:.1f}"
                yield figure(f"{side**2} cores, {kind}, {kib} KiB", measured)
            yield figure(f"{side**2} cores, {kind}, mean ratio", f"{mean(ratios):.1f}")


@section
def core_pairs() -> Iterator[Claim]:
    """Vectors of 16 cores along a tree of pairs, each with a stream, 1 to 32 KiB (cycles)."""
    for kind in KINDS:
        given = {"KIND": str(KINDS.index(kind)), "BY": "4"}
        words = (str(256 * kib) for kib in KIBS)
        cycles = [took("collectives", pairs(), given | {"WORDS": w}, ROOM_KIB) for w in words]
        yield figure(f"{kind}, {', '.join(map(str, KIBS))} KiB", _listed(cycles))


@section
def core_vector_programs() -> Iterator[Claim]:
    """Gemm, sgd and softmax of cores: streams, barriers, messages (cycles)."""
    for side in SIDES:
        for name, macros in PROGRAMS:
            spec = rows_and_columns(side) if name == "gemm" else all_cores(side)
            cycles = [took(name, spec, {**macros, "BY": str(by)}) for by in range(len(METHODS))]
            yield figure(f"{side**2} cores, {' '.join([name, *macros.values()])}", _beside(cycles))


def _beside(cycles: Sequence[int]) -> str:
    """Return cycles by the methods, and what the others take in parts of the first."""
    others = ", ".join(f"{one / cycles[0]:.2f}" for one in cycles[1:])
    return f"{_listed(cycles)}: {others}"


def _listed(cycles: Sequence[int]) -> str:
    return ", ".join(f"{one:,}" for one in cycles)
