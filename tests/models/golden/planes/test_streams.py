"""Streams on whole networks: set up as groups are, at their latency, ended as their slots are."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from syncfabric.models.golden.record import Beat
from syncfabric.models.golden.stream_movement import StreamMovement
from syncfabric.models.golden.streams import ProcessStreams
from syncfabric.models.layout.engine import Code
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.setup import Operation
from syncfabric.models.layout.words import RouterWord, config_address
from tests.models.golden.planes.nets import (
    Group,
    command,
    draw_group,
    irregular,
    mesh,
)
from tests.models.golden.planes.network_bench import Bench
from tests.models.golden.stream_bench import packet

KEYS: dict[str, Any] = {"groups": 2, "wires": 2, "streams": 1}
MASK = (1 << 32) - 1


def streams_of(bench: Bench) -> StreamMovement:
    assert bench.net.streams
    return bench.net.streams


def group_of(bench: Bench, slot: int = 0, members: tuple[int, ...] = ()) -> Group:
    """Return a group in a slot, of all if none is named; its root is at the first member."""
    members = members or tuple(range(len(bench.shape.nodes)))
    return draw_group(
        bench.shape, random.Random(1), bench.shape.router.layout.entries + slot, members
    )


def gives(bench: Bench, group: Group, words: int, tid: int = 0, **what: Any) -> int:
    """Let all members give operands; return the cycle in which they begin."""
    for i in group.members:
        operand = [1000 * i + k for k in range(words)]
        streams_of(bench).put(i, packet(operand, tid, **what), bench.now)
    return bench.now


def received(bench: Bench, i: int, since: int = 0) -> list[tuple[int, Beat]]:
    return [got for got in streams_of(bench).processes[i].received if got[0] >= since]


def row(routers: int, **keys: Any) -> NetworkShape:
    links = [((n, 0), (n + 1, 1)) for n in range(routers - 1)]
    return irregular(links, [(n, 2) for n in range(routers)], 3, **(KEYS | keys))


def test_v10_all_of_8x8() -> None:
    """58 cycles to the first word, and 256 words after 313."""
    bench = Bench(mesh(8, 8, **KEYS))
    root = 4 * 8 + 4
    group = group_of(bench, 0, (root, *(i for i in range(64) if i != root)))
    bench.by_host(group)
    start = gives(bench, group, 256)
    bench.quiesce()
    cycles = [cycle - start for cycle, _ in received(bench, 0)]  # the farthest
    assert cycles == list(range(58, 58 + 256))
    sums = [(1000 * sum(range(64)) + 64 * k) & MASK for k in range(256)]
    assert all([beat.data for _, beat in received(bench, i)] == sums for i in range(64))


@pytest.mark.parametrize("registers", [0, 1, 3])
def test_v10_with_node_interfaces(registers: int) -> None:
    bench = Bench(row(4, link_registers=registers))
    group = group_of(bench)
    bench.by_host(group)
    start = gives(bench, group, 5)
    bench.quiesce()
    latency = 2  # of three ports
    first = 3 * (latency + 3 + 2 * registers) + latency + 7
    assert [cycle - start for cycle, _ in received(bench, 3)] == list(range(first, first + 5))


def test_v10_over_links_of_different_length() -> None:
    """The path of most cycles counts, not that of most links."""
    network = replace(row(4, link_registers=1, longest_link=15), extra=(14, 0, 0))
    bench = Bench(network)
    group = group_of(bench, 0, (1, 0, 2, 3))
    bench.by_host(group)
    start = gives(bench, group, 200)
    bench.quiesce()
    cycles = {i: [cycle - start for cycle, _ in received(bench, i)] for i in range(4)}
    hop, rest = 2 + 3, 2 + 7
    assert cycles[0] == list(range(hop + 2 * 15 + rest, hop + 2 * 15 + rest + 200))


def test_what_is_on_the_wires() -> None:
    """Lanes of a link: a word's at its channel, a credit's at the link whose words it pays for."""
    bench = Bench(row(2, channels=0, streams=2))
    group = group_of(bench, 1)
    bench.by_host(group)
    streams_of(bench).put(1, packet([], 1), bench.now)
    start = bench.now
    bench.quiesce()
    layout = bench.shape.router.stream
    assert layout
    head = layout.word.pack({"data": 0x50, "head": 1, "tail": 1})
    # A link has lanes of the engine, of two slots, two channels and two faults; six outputs come
    # before the processes' links. Node 1 sends; channel 1 joins a port alone, and goes to node 0
    # and on by the turn; both three cycles later.
    own, to_root = (6 + 1) * 7 + 3 + 1, (3 + 1) * 7 + 3 + 1
    shown = [(cycle - start, record) for cycle, record in bench.records.items() if cycle >= start]
    words = [(cycle, record.valid, record.payloads) for cycle, record in shown if record.valid]
    assert words[:2] == [(1, 1 << own, [head]), (4, 1 << to_root, [head])]
    credits = [(cycle, record.credit) for cycle, record in shown if record.credit]
    assert credits[:1] == [(3, 1 << own)]


def test_a_failed_stream_breaks_its_group_everywhere() -> None:
    bench = Bench(mesh(3, 3, **KEYS))
    group, other = group_of(bench), group_of(bench, 1)
    bench.by_host(group)
    bench.by_host(other)
    gives(bench, group, 6)
    streams_of(bench).processes[8].queue.pop()  # the operand of one is cut ...
    streams_of(bench).put(8, packet([1] * 5), bench.now)  # ... and goes on with a word too many
    bench.quiesce()
    entry = bench.shape.router.layout.entries
    assert all(bench.net.broken(i, entry) and not bench.net.ready(i, entry) for i in range(9))
    assert all(bench.net.ready(i, entry + 1) for i in range(9))
    assert not any(bench.alive(n, entry) for n in range(9))
    assert all(bench.alive(n, entry + 1) for n in range(9))
    for i in range(9):
        beats = [beat for _, beat in received(bench, i)]
        assert len(beats) <= 6
        assert [beat.user for beat in beats] == [0] * (len(beats) - 1) + [1] * bool(beats)
    # Router 8 has one giver, and the router above it two. From there levels go up to the root.
    width = 1 + 1 + 2 + 2  # an ordinary channel, the engine's messages, two slots, word and fault
    lanes = {lane for record in bench.records.values() for lane in bits(record.valid)}
    above = {*_above(group, 8)}
    to_root = {(n, up) for n, (_, up, _) in group.parent.items() if n in above}
    assert len(to_root) == 3
    assert {divmod(lane // width, 5) for lane in lanes if lane % width == width - 1} == to_root


def _above(group: Group, n: int) -> Iterator[int]:
    """Yield the routers from one to the root."""
    while n != group.root:
        n = group.parent[n][0]
        yield n


def bits(word: int) -> Iterator[int]:
    return (at for at in range(word.bit_length()) if word >> at & 1)


@pytest.mark.parametrize("by", ["host", "manager"])
@pytest.mark.parametrize("interfaces", [False, True])
def test_a_group_is_set_up_anew_while_words_of_the_last_one_are_there(
    interfaces: bool, by: str
) -> None:
    managers = [0] if by == "manager" else []
    keys = KEYS | {"link_registers": 2, "managers": managers}
    bench = Bench(row(4, **keys) if interfaces else mesh(4, 1, **keys))
    group = group_of(bench)
    processes = streams_of(bench).processes
    for instance in range(6):
        for process in processes:
            process.ready = lambda now: True
        if by == "manager":
            bench.command(0, Operation.SETUP, group)
            bench.run(40)
        else:
            bench.by_host(group)
        start = gives(bench, group, 100)
        if instance == 5:
            break
        for process in processes:
            process.ready = lambda now: now % 7 == 0
        bench.run(30 + 9 * instance)
        if by == "manager":
            bench.command(0, Operation.KILL, group)
        else:
            kills = [command(bench.shape, n, Code.KILL, 2, group.epoch[n]) for n in group.routers]
            assert [bench.ask(kill)[0] for kill in kills] == [False] * 4
    bench.quiesce()
    sums = [1000 * 6 + 4 * k for k in range(100)]
    for i in range(4):
        assert [beat.data for _, beat in received(bench, i, start)] == sums
    assert bench.counted(bench.shape.target_of(1), config_address(RouterWord.OVERFLOW)) == 0


def test_the_watchdog_breaks_a_stream_that_waits() -> None:
    bench = Bench(mesh(3, 1, watchdog=20, **KEYS))
    group = group_of(bench)
    bench.by_host(group)
    assert bench.net.idle_until() is None
    streams_of(bench).put(2, packet([1]), bench.now)
    start = bench.now
    bench.quiesce()
    period = bench.shape.router.layout.entries * 20
    assert start + period <= bench.now <= start + 2 * period + 60
    assert all(bench.net.broken(i, group.entry[0]) for i in range(3))


def test_words_that_find_no_place_are_counted_and_break_their_group() -> None:
    """A process with more credits than its router has places, while another gives nothing."""
    bench = Bench(mesh(2, 1, **KEYS))
    layout = bench.shape.router.stream
    assert layout
    group = group_of(bench)
    bench.by_host(group)
    port = streams_of(bench).ports[1] = ProcessStreams(replace(layout, registers=8))
    port.step({0})
    streams_of(bench).put(1, packet(range(40)), bench.now)
    bench.quiesce()
    # The root joins nothing: 15 words go on to it, and 15 stay. The next one comes in t, the fault
    # is at the root in t + 1, BROKEN is back in t + 3, and the buffer is still full in t + 4.
    assert bench.net.broken(1, 2)
    overflow = config_address(RouterWord.OVERFLOW)
    assert [bench.counted(i, overflow) for i in range(2)] == [0, 5]
