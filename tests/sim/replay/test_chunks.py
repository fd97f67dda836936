"""Schedules in chunks and trees that combine, on hardware and on the golden model."""

from dataclasses import replace
from fractions import Fraction

import pytest

from syncfabric.models.collectives.chunks.schedule import Chunked, Exchange, Schedule, Send
from syncfabric.models.collectives.chunks.search import search
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.topology import Topology, linked
from syncfabric.models.errors import SpecError
from syncfabric.sim.replay.chunks import chunk_packets, replay_chunks
from syncfabric.sim.replay.in_network import plan_in_network, play
from tests.sim.replay.test_replay import alone


def on(name: str) -> Topology:
    return linked(named(name), Fraction(4), Fraction(1, 4))


def chain(size: int = 40, parts: int = 1) -> Schedule:
    """A broadcast of node 0 along a line of three."""
    exchange = Exchange("broadcast", 3, size, parts)
    sends = (Send(n, (a, a + 1), False) for n in range(parts) for a in (0, 1))
    return Schedule(on("mesh-3x1"), exchange, tuple(sends))


def test_a_rank_sends_on_in_the_cycle_after_its_data_have_come() -> None:
    played = replay_chunks(chain(), sim="model")
    assert played.ok
    assert played.cycles == 2 * alone(10, 2) + 1
    assert (played.packets.flits, played.packets.channels) == (10, 1)
    # Of four chunks, each of three flits, the last goes behind three packets of four flits.
    parted = replay_chunks(chain(parts=4), sim="model")
    assert parted.cycles == 2 * alone(3, 2) + 1 + 3 * 4


def test_ranks_of_one_port_take_turns() -> None:
    schedule = search(on("torus-3x3"), "allreduce", 9 * 16, (1,), methods=("trees",)).best.schedule
    most, one = (replay_chunks(schedule, ports=ports, sim="model") for ports in (None, 1))
    assert most.ok
    assert one.ok
    assert most.cycles is not None
    assert one.cycles is not None
    assert most.bound == 2 * 8 * 9 * 4 // 36
    assert most.bound < most.cycles < one.cycles
    ports = [len(played.packets.fabric.irregular.nodes) for played in (most, one)]
    assert ports == [36, 9]
    # A port has a head and a share's flits for each of its 16 sends.
    assert one.cycles >= 16 * 5


def test_reductions_wait_for_all_that_comes_in() -> None:
    found = search(on("mesh-3x1"), "reduce", 40, (1,), root=0, methods=("greedy",)).best
    packets = chunk_packets(found.schedule)
    assert [send.path for send in found.schedule.sends] == [(2, 1), (1, 0)]
    assert [send.needs for send in packets.replays[0].sends] == [(), (0,)]
    sends = tuple(Send(0, path, True) for path in ((0, 2), (1, 2), (2, 3)))
    both = chunk_packets(Schedule(on("complete-4"), Exchange("reduce", 4, 8, 1, 3), sends))
    assert [send.needs for send in both.replays[0].sends] == [(), (), (0, 1)]


@pytest.mark.parametrize("kind", ["scatter", "gather", "alltoall"])
def test_what_is_for_one_rank_is_passed_on(kind: Chunked) -> None:
    """Packets of shares that relays carry; no fewer cycles than the file's certificate says."""
    schedule = search(on("ring-5"), kind, 5 * 16, (1,), methods=("paths",)).best.schedule
    played = replay_chunks(schedule, sim="model")
    assert played.ok
    assert played.cycles is not None
    assert 0 < played.bound <= played.cycles
    relayed = [send for send in played.packets.replays[0].sends if send.needs]
    assert len(relayed) == len(schedule.sends) - {"alltoall": 20}.get(kind, 4)


def test_a_wrong_schedule_is_played_and_not_right() -> None:
    schedule = chain()
    played = replay_chunks(replace(schedule, sends=schedule.sends[:1]), sim="model")
    assert not played.ok
    assert played.cycles == alone(10, 2)
    assert played.to_json()["right"] is False


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        (replace(chain(), sends=()), "no message to send"),
        (chain(2**20), "a chunk has 1,048,576 bytes, but a packet 16,384 at most"),
    ],
)
def test_what_cannot_be_played(schedule: Schedule, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        replay_chunks(schedule, sim="model")


def test_more_trees_for_longer_vectors() -> None:
    small, large = (plan_in_network(named("torus-4x4"), size) for size in (4, 2048))
    assert (small.words, large.words) == ((1,), (256, 256))
    assert small.cycles < 50
    played = play(large, "model")
    assert played.right
    assert played.cycles is not None
    # A word a cycle of each tree, no cycle lost; the bound is of a tree's own.
    assert 256 < played.cycles <= large.cycles < 256 + 50


def test_a_fat_tree_combines_in_its_switches() -> None:
    made = plan_in_network(named("fat-tree-2x2"), 250)
    (text,) = made.texts
    assert (made.words, len(made.packing.trees)) == ((63,), 1)
    assert text.count("\n    [[") == len(made.packing.trees[0].parent) - 4
    assert play(made, "model").right


def test_on_hardware_both_agree_with_the_model() -> None:
    schedule = search(on("mesh-2x2"), "allreduce", 64, (1,), methods=("trees",)).best.schedule
    found = [replay_chunks(schedule, sim=sim) for sim in ("model", "icarus")]
    assert [one.failure for one in found] == [None, None]
    assert found[0].cycles == found[1].cycles
    made = plan_in_network(named("mesh-2x2"), 64)
    runs = [play(made, sim) for sim in ("model", "icarus")]
    assert runs[0] == runs[1]
    assert runs[0].right
