"""Streams on links of packets (V13): one thing on a link in a cycle, and a place for each."""

import random
from itertools import groupby
from typing import Any

import pytest

from syncfabric.models.golden.record import Beat, Record
from syncfabric.models.golden.streams import ProcessStreams, RouterStreams
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.traffic import WARM_CYCLES, rate_word
from tests.models.golden.planes.nets import draw_group, mesh, set_up_writes
from tests.models.golden.planes.network_bench import Bench
from tests.models.golden.planes.test_streams import MASK, gives, group_of, received, row, streams_of
from tests.models.golden.stream_bench import packet
from tests.nightly import nightly_but

KEYS: dict[str, Any] = {"groups": 2, "wires": 2, "streams": 1, "stream_links": "shared"}
SHAPES: dict[str, NetworkShape] = {
    "mesh": mesh(4, 1, **KEYS),
    "registers": mesh(3, 2, link_registers=2, output_register=True, **KEYS),
    "interfaces": row(4, **KEYS),
    "interfaces, registers": row(3, link_registers=1, output_register=True, **KEYS),
}


def saturate(bench: Bench, cycles: int) -> None:
    """Let all nodes send packets to all, as many as their links take."""
    bench.step(load=7)
    for _ in range(WARM_CYCLES + cycles):
        bench.step(enable=True, rate=rate_word(5))


def lanes(bench: Bench, link: int, record: Record | None) -> tuple[int, int]:
    """Return the lanes of flits and of words that are high on a link in a cycle."""
    wiring = bench.net._wiring
    bits = (record.valid if record else 0) >> link * wiring.width
    words = (1 << bench.shape.router.streams) - 1
    return bits & (1 << wiring.channels) - 1, bits >> wiring.streams & words


@pytest.mark.parametrize("name", SHAPES)
def test_v10(name: str) -> None:
    bench = Bench(SHAPES[name])
    group = group_of(bench)
    bench.by_host(group)
    start = gives(bench, group, 40)
    bench.quiesce()
    layout, depth = bench.shape.router.stream, dict.fromkeys(group.routers, 0)
    assert layout
    for n in depth:
        at = n
        while at != group.root:
            at, depth[n] = group.parent[at][0], depth[n] + 1
    cycles = [cycle - start for cycle, _ in received(bench, len(bench.shape.nodes) - 1)]
    first = layout.cycles(max(depth.values()))
    assert cycles == list(range(first, first + 40))


@pytest.mark.parametrize("name", nightly_but(["mesh"], SHAPES))
def test_packets_and_words_share_links_and_neither_is_lost(name: str) -> None:
    bench = Bench(SHAPES[name])
    group = group_of(bench)
    bench.by_host(group)
    saturate(bench, 100)
    start = gives(bench, group, 600)
    for _ in range(1200):
        bench.step(enable=True, rate=rate_word(5))
    bench.quiesce()
    nodes, wiring = range(len(bench.shape.nodes)), bench.net._wiring
    sums = [sum(1000 * i + k for i in nodes) & MASK for k in range(600)]
    assert all([beat.data for _, beat in received(bench, i)] == sums for i in nodes)
    assert bench.net.is_empty()
    # Three words in four cycles, and links that pass both.
    assert max(cycle for i in nodes for cycle, _ in received(bench, i)) - start < 600 / 0.74 + 100
    both = 0
    for place, outs in enumerate(wiring.outs):
        for out in filter(None, outs):
            if out.node >= 0 and not bench.shape.interfaces:
                continue
            seen = [lanes(bench, out.link, record) for record in bench.records.values()]
            assert all(not (flit and word) for flit, word in seen), (place, out)
            both += any(flit for flit, _ in seen) and any(word for _, word in seen)
    assert both >= 2 * len(group.parent)


@pytest.mark.parametrize(
    ("keys", "longest"),
    [({}, 3), ({"stream_operations": ("fp32",)}, 9), ({"stream_join": "serial"}, 3)],
)
@pytest.mark.parametrize("streams", [1, 2])
def test_a_flit_waits_for_as_many_words_as_promised(
    streams: int, keys: dict[str, Any], longest: int
) -> None:
    """All links of two routers are full; with two groups each has joins and copies."""
    shape = row(2, buffer_flits=16, **KEYS | {"streams": streams} | keys)
    bench = Bench(shape)
    first = shape.router.layout.entries
    groups = [group_of(bench), draw_group(shape, random.Random(1), first + 1, (1, 0))][:streams]
    for group in groups:
        bench.by_host(group)
    saturate(bench, 40)
    start = bench.now
    for c, group in enumerate(groups):
        kind = 4 if "stream_operations" in keys else 2
        gives(bench, group, 900, tid=c, kind=kind)
    for _ in range(800):
        bench.step(enable=True, rate=rate_word(5))
    outs = bench.net._wiring.outs
    for place, out in ((place, out) for place, ends in enumerate(outs) for out in ends if out):
        most = longest if place < 2 else 3  # interfaces follow the routers
        seen = [lanes(bench, out.link, bench.records.get(t)) for t in range(start, bench.now)]
        runs = [(words, len(list(run))) for words, run in groupby(bool(word) for _, word in seen)]
        assert max(length for words, length in runs if words) <= most, (place, out)
        # A flit in one cycle of five at least, once words come.
        came = next(t for t, (_, word) in enumerate(seen) if word)
        for t in range(came + most, len(seen) - 50):
            assert sum(bool(flit) for flit, _ in seen[t : t + 50]) >= 9


def test_a_group_that_stands_still_stops_no_packet_and_no_other_group() -> None:
    """One member gives nothing, one takes nothing: words fill all buffers, and links stay free."""
    bench = Bench(mesh(3, 3, **KEYS))
    stalled, wires = group_of(bench), group_of(bench, 1)
    messages = draw_group(bench.shape, random.Random(1), 0, tuple(range(9)))
    for group in (stalled, wires, messages):
        bench.by_host(group)
    before = [bench.barrier(group)[0] for group in (stalled, wires, messages)]
    streams = streams_of(bench)
    streams.processes[4].ready = lambda now: False
    for i in range(8):  # node 8 is awaited
        streams.put(i, packet(list(range(100))), bench.now)
    bench.run(300)
    assert not any(streams.processes[i].received for i in range(9))
    assert [bench.barrier(group)[0] for group in (stalled, wires, messages)] == before
    saturate(bench, 300)
    for _ in range(4000):
        bench.step()
    assert bench.net.is_empty()
    # Node 8 gives, and still one does not take: all stops there, and goes on with it.
    streams.put(8, packet(list(range(100))), bench.now)
    bench.run(600)
    assert [bench.barrier(group)[0] for group in (stalled, wires, messages)] == before
    assert not streams.processes[4].received
    streams.processes[4].ready = lambda now: True
    streams.wake(4, bench.now)
    bench.run(600)
    assert all(len(received(bench, i)) == 100 for i in range(9))


@pytest.mark.parametrize("name", SHAPES)
def test_it_is_as_if_all_were_stepped(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left out of a step for being idle changes nothing, beside packets."""

    def run() -> tuple[dict[int, Record], list[list[tuple[int, Beat]]]]:
        bench = Bench(SHAPES[name])
        group = group_of(bench)
        for request in set_up_writes(bench.shape, group):
            bench.ask(request)
        bench.run(40)
        bench.step(load=3)
        for words in (1, 30, 7, 2, 60):
            gives(bench, group, words)
            for _ in range(words + 37):
                bench.step(enable=True, rate=rate_word(0.2))
        bench.run(600)
        return bench.records, [process.received for process in streams_of(bench).processes]

    records, beats = run()
    assert all(beats)
    monkeypatch.setattr(RouterStreams, "is_idle", False)
    monkeypatch.setattr(ProcessStreams, "is_idle", False)
    assert run() == (records, beats)
