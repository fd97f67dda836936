"""Streams in cycles on the RTL: a group alone, all-reduce, from the last call to the last word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from syncfabric.models.layout.slots import WIRE_PLANNER
from syncfabric.models.networks.spec import GroupSpec, NetworkSpec
from syncfabric.sim.experiments.bench.measures import mesh
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.experiments.frame import section
from syncfabric.sim.network import Network
from syncfabric.sim.results import RunResult
from syncfabric.sim.vectors import StreamRequest

_KEYS: Mapping[str, object] = {"wires": 1, "streams": 1, "channels": 0}
_SHARED: Mapping[str, object] = {"channels": 1, "stream_links": "shared"}
KINDS: tuple[tuple[str, Mapping[str, object]], ...] = (
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
    for op, keys in KINDS[1:]:
        yield _row(8, 256, op, keys)
    for load in (0.0, 0.1, 1.0):
        yield _beside_packets(8, 1024, load)


def _beside_packets(side: int, words: int, load: float) -> Claim:
    found = _run(side, words, "add.i32", _SHARED, load)
    (took,) = found.streams or ()
    rate, accepted = took.rate or 0.0, found.traffic.accepted
    name = f"{side}x{side}, {words} words, links shared with packets of {load:g} flits a node"
    measured = f"{rate:.3g} words, {accepted:.3g} flits a node"
    return figure(name, measured, ">= 0.75 words a cycle", found.ok and rate >= 0.745)


def _run(
    side: int, words: int, op: str, keys: Mapping[str, object], load: float = 0.0
) -> RunResult:
    network = mesh(side, side, {**_KEYS, **keys})
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
