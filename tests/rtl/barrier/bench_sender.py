"""The sender against a hand that goes round the registers."""

import random
from typing import Any

import cocotb

from syncfabric.models.messages import CONTROL, Kind
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import MeshSpec
from tests.rtl.support import Bench, Scoreboard

CASES = {(sources, pipeline) for sources in (1, 3, 4) for pipeline in (0, 1)}
PARENT = 4


def network(pipeline: int) -> MeshSpec:
    return MeshSpec(kind="mesh", width=8, height=3, data_bits=9, barrier_pipeline=pipeline)


def some_places(rng: random.Random) -> set[int]:
    """Return what a register has to send: to its parent, or to children, or nothing."""
    return {PARENT} if rng.random() < 0.3 else {p for p in range(4) if rng.random() < 0.3}


@cocotb.test()
@cocotb.parametrize(case=sorted(CASES))
async def offers_agree_with_turns(dut: Any, case: tuple[int, int]) -> None:
    """One register's messages at a time, all that hold a credit, until one of them is sent."""
    sources, pipeline = case
    spec = network(pipeline)
    bench, board = Bench(dut), Scoreboard(f"sources_{sources}_{pipeline}")
    pins, rng, layout = bench.pins[board.name], board.rng, spec.layout
    hand, several, stays, whole = sources - 1, 0, 0, 0
    coming = [set[int]() for _ in range(sources)]
    await bench.reset()
    for cycle in range(900):
        has_credit = rng.getrandbits(8)
        stimulus: dict[str, int] = {"has_credit": has_credit}
        able: dict[int, dict[int, tuple[int, int]]] = {}
        places: dict[int, list[tuple[int, int]]] = {}
        upward: set[int] = set()
        waiting, coming = coming, [some_places(rng) for _ in range(sources)]
        for i in range(sources):
            control = {field.name: rng.getrandbits(field.width) for field in CONTROL.fields}
            parent, data = (rng.randrange(8), rng.randrange(3)), rng.getrandbits(spec.data_bits)
            children = [(rng.randrange(8), rng.randrange(3)) for _ in range(4)]
            up_port = Port(rng.randrange(4))
            wave, up_kind = Kind(rng.randrange(4)), Kind(rng.randrange(4))
            pending = waiting[i]
            common = {"gid": control["gid"], "epoch": control["epoch"], "data": data}
            messages = {}
            for place in pending:
                if place == PARENT:
                    port, turn, (x, y), kind = up_port, control["turn"], parent, up_kind
                else:
                    port, (x, y), kind = Port(place), children[place], wave
                    turn = 0 if port in (Port.EAST, Port.WEST) else 1
                if has_credit >> 2 * port + turn & 1:
                    fields = {**common, "kind": kind, "x": x, "y": y, "turn": turn}
                    messages[place] = (int(port), layout.sync.pack(fields))
            if pending:
                able[i], places[i] = messages, [parent] * 4 if PARENT in pending else children
            if PARENT in pending:
                upward.add(i)
            stimulus |= {
                f"source_{i}__pending": sum(1 << place for place in pending),
                f"source_{i}__soon": bool(coming[i]),
                f"source_{i}__data": data,
                f"source_{i}__control": CONTROL.pack(control),
                f"source_{i}__up_port": 1 << up_port,
                f"source_{i}__wave": wave,
                f"source_{i}__up_kind": up_kind,
            }
        chosen = hand
        if able and not stays:
            chosen = min(able, key=lambda i: (i - hand - 1) % sources)
        offered = able.get(chosen, {})
        eager = 0.6 if cycle % 200 < 120 else 0.01
        taken = {place for place in offered if rng.random() < eager}
        expected = {"offer": sum(1 << port for port, _ in offered.values())}
        expected["grant"] = 1 << chosen
        expected["up"] = chosen in upward
        for output, bits in offered.values():
            expected[f"message_{output}"] = bits
            expected[f"class_{output}"] = 1 << layout.sync.unpack(bits)["turn"]
        for i in range(sources):
            sent = sum(1 << place for place in taken) if i == chosen else 0
            expected[f"source_{i}__sent"] = sent
        stimulus["take"] = sum(1 << offered[place][0] for place in taken)
        for p in range(4):
            there = places[chosen][p] if chosen in places else (0, 0)
            stimulus[f"place_{p}"] = layout.header.pack({"x": there[0], "y": there[1]})
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        several += len(offered) > 1
        waits = chosen in able and not taken
        whole += waits and stays == 14
        stays = stays + 1 if waits and stays < 14 else 0
        hand = chosen
        await bench.edge()
    assert several > 50
    assert whole > 1
