"""Barrier wires in whole networks: alone, beside packets, and beside messages."""

import random
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from syncfabric.models.golden.record import ConfigRequest, Record
from syncfabric.models.traffic import rate_word
from tests.models.golden.wire_bench import WireBench, mesh_keys, switch_keys

BUSY = rate_word(0.3)
KINDS = ["mesh", "irregular"]
GROUPS = {3: (0, 1, 2, 3, 4), 5: (1, 3), 6: (2,), 7: (0, 4)}


def keys_of(kind: str, **options: Any) -> dict[str, Any]:
    keys = mesh_keys(3, 3) if kind == "mesh" else switch_keys()
    return {**keys, "setup": "local", "barrier_registers": 4, **options}


@pytest.mark.parametrize(
    ("kind", "sync", "channels", "registers"),
    [
        one
        for one in product(KINDS, ("wires", "both"), (0, 1, 2), range(4))
        if one[1] == "wires" or one[2]
    ],
)
def test_a_barrier_takes_its_bound(kind: str, sync: str, channels: int, registers: int) -> None:
    """2 L (1 + P) + 2 from the last arrival of the farthest, whatever packets do."""
    rng = random.Random(f"{kind}{sync}{channels}{registers}")
    options = {"wires": rng.choice(("shared", "separate")), "parity": rng.random() < 0.5}
    keys = keys_of(kind, sync=sync, channels=channels, link_registers=registers, **options)
    made = WireBench(keys, GROUPS, traffic=BUSY if channels else 0)
    made.write()
    for gid, group in made.groups.items():
        assert group.bound == 2 * group.bound_links * (1 + registers) + 2
        for _ in range(2):
            assert made.barrier(gid, rng) == group.bound
    assert len(made.groups) == 4
    for target in range(5):
        assert made.counters(target) == [0, 0, 0, 0]
    ejected = made.model.packets.flits_ejected
    assert ejected > 100 if channels else ejected == 0


def packets(records: dict[int, Record], lanes: int, channels: int) -> Iterator[tuple[int, ...]]:
    """Yield what ordinary channels carry: cycle, lane with these channels alone, and flit or -1."""
    for cycle, record in records.items():
        flits = iter(record.payloads)
        for lane in range(record.valid.bit_length()):
            if record.valid >> lane & 1:
                flit = next(flits)
                if lane % lanes < channels:
                    yield cycle, lane // lanes * channels + lane % lanes, flit
        for lane in range(record.credit.bit_length()):
            if record.credit >> lane & 1 and lane % lanes < channels:
                yield cycle, lane // lanes * channels + lane % lanes, -1


@pytest.mark.parametrize(("kind", "channels", "hop"), list(product(KINDS, (1, 2), (1, 2))))
def test_packets_go_as_if_no_message_ever_came(kind: str, channels: int, hop: int) -> None:
    options = {"channels": channels} | ({"cycles_per_hop": hop} if kind == "irregular" else {})
    wired = WireBench(keys_of(kind, sync="wires", **options), GROUPS, traffic=BUSY)
    quiet = WireBench(keys_of(kind, **options), {}, traffic=BUSY)
    rng = random.Random(1)
    wired.write()
    for _ in range(3):
        for gid in GROUPS:
            wired.barrier(gid, rng)
    quiet.rest(wired.model.cycle - quiet.model.cycle)
    classes = 2 if kind == "mesh" else 1
    seen = list(packets(wired.records, channels, channels))
    assert seen == list(packets(quiet.records, channels + classes, channels))
    assert len(seen) > 1000


@pytest.mark.parametrize("kind", KINDS)
def test_slots_are_in_no_messages_way(kind: str) -> None:
    """With both: all but wires and slots' releases is as it is without wires."""
    planner = "btm" if kind == "mesh" else "btin"
    own = {1: (0, 2, 4), 2: (1, 3)}
    planners, keys = dict.fromkeys(own, planner), keys_of(kind)
    both = WireBench({**keys, "sync": "both"}, own | GROUPS, planners, traffic=BUSY)
    alone = WireBench(keys, own, planners, traffic=BUSY)
    for made in (both, alone):
        for target, address, word in made.writes_of(own):
            assert made.request(target, address, word) == 0
        made.step(start=True)
    begin, waiting, rng = both.model.cycle, both.writes_of(GROUPS), random.Random(2)
    assert begin == alone.model.cycle
    empty = Record(0, 0, [], 0, [])
    for now in range(begin, begin + 1500):
        config = None
        if waiting and rng.random() < 0.5:
            target, address, word = waiting.pop(0)
            config = ConfigRequest(target, address, True, word)
        arrive = {
            place: rng.getrandbits(4)
            for place in product(range(5), range(8))
            if both.model.ready(*place) and rng.random() < 0.02
        }
        others = {place: data for place, data in arrive.items() if place[1] < 4}
        both.step(arrive=arrive, config=config)
        alone.step(arrive=others)
        ours, theirs = both.records.get(now, empty), alone.records.get(now, empty)
        assert ours[:3] == theirs[:3], f"cycle {now}"
        places = [divmod(at, 8) for at in range(40) if ours.release >> at & 1]
        released = [4 * node + register for node, register in places if register < 4]
        assert theirs.release == sum(1 << at for at in released), f"cycle {now}"
        results = zip(ours.results, places, strict=True)
        assert theirs.results == [result for result, place in results if place[1] < 4]
        assert not theirs.wires
    for node in range(5):
        registers = {register for _, at, register, *_ in both.released if at == node}
        assert min(registers) < 4 <= max(registers)
