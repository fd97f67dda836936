"""An output port against owners, orders and credits: what is on its link in every cycle."""

import random
from collections import Counter, deque
from typing import Any

import cocotb

from syncfabric.models.networks.spec import IrregularSpec
from tests.rtl.irregular.specs import network
from tests.rtl.support import Bench, Scoreboard

CASES = {
    "output_two_cycles": network(),
    "output_two_cycles_serial": network(ports=4, channels=2, buffer_flits=2, operations="all"),
    "output_one_cycle": network(channels=2, buffer_flits=2, cycles_per_hop=1),
    "output_one_cycle_serial": network(buffer_flits=3, cycles_per_hop=1, operations="all"),
}


class Packets:
    """One input's packets for this output."""

    def __init__(self, rng: random.Random, spec: IrregularSpec) -> None:
        self.rng, self.layout, self.left = rng, spec.layout.flit, deque[int]()

    def front(self) -> dict[str, int]:
        """Return the next flit."""
        if not self.left:
            length = self.rng.randint(1, 4)
            self.left.extend(
                self.rng.getrandbits(self.layout.width - 2) | head << self.layout.width - 2
                for head in (1 if length > 1 else 3, *(0,) * (length - 2), 2)[:length]
            )
        return self.layout.unpack(self.left[0])


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def links_agree_with_orders(dut: Any, case: str) -> None:
    """Messages before flits, packets whole in their channel, no more flits than places."""
    spec = CASES[case]
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng, ports, channels = bench.pins[case], board.rng, spec.ports, spec.channels
    packets = [[Packets(rng, spec) for _ in range(channels)] for _ in range(ports)]
    order, events = list(range(ports)), Counter[str]()
    credits, owner = [spec.buffer_flits] * channels, [-1] * channels
    sync_credit, sent_last = 1, False
    waits: tuple[int, int] | None = None  # channel and bits of the flit in the out buffer
    await bench.reset()
    for cycle in range(1000):
        generous = cycle // 100 % 2
        opens = sync_credit > 0 if spec.buffered else not sent_last
        sync = opens and rng.random() < (0.3 if cycle // 200 % 2 else 0.9)
        message = rng.getrandbits(spec.layout.sync.width)
        offers: dict[int, int] = {}
        for i in range(ports):
            able = [
                v
                for v in range(channels)
                if credits[v] and owner[v] == (-1 if packets[i][v].front()["head"] else i)
            ]
            if able and rng.random() < 0.7:
                offers[i] = rng.choice(able)
        shut = sync and (spec.cycles_per_hop == 1 or waits is not None)
        taker = None if shut else next((i for i in order if i in offers), None)
        taken = None if taker is None else (offers[taker], packets[taker][offers[taker]].left[0])
        back = [
            credits[v] < spec.buffer_flits and rng.random() < (0.8 if generous else 0.15)
            for v in range(channels)
        ]
        sync_back = not sync_credit and rng.random() < 0.5
        stimulus: dict[str, int] = {
            "offer": sum(1 << i for i in offers),
            "link__credit": sum(1 << v for v in range(channels) if back[v]),
            "sync_send": sync,
            "sync": message if sync else 0,
        }
        if spec.buffered:
            stimulus["link__sync_credit"] = sync_back
        for i in range(ports):  # an input that offers nothing here may well show something
            shown = rng.randrange(channels)
            word = rng.getrandbits(spec.layout.flit.width)
            if i in offers:
                shown, word = offers[i], packets[i][offers[i]].left[0]
            stimulus |= {f"offer_channel_{i}": 1 << shown, f"flit_{i}": word}
        shows = taken if spec.cycles_per_hop == 1 else waits
        if sync:
            shows = None
        expected: dict[str, int] = {
            "take": 0 if taker is None else 1 << taker,
            "link__valid": 0 if shows is None else 1 << shows[0],
            "link__flit": message if sync else 0 if shows is None else shows[1],
            "link__sync_valid": sync,
            "has_credit": sum(1 << v for v in range(channels) if credits[v]),
            "busy": sum(1 << v for v in range(channels) if owner[v] >= 0),
            "sync_open": opens,
        }
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)

        events["message"] += sync
        events["flit waits"] += sync and waits is not None
        events["stall"] += not all(credits)
        if spec.cycles_per_hop == 2 and not shut:
            waits = taken
        if taker is not None and taken is not None:
            v = offers[taker]
            tail = packets[taker][v].front()["tail"]
            packets[taker][v].left.popleft()
            owner[v] = -1 if tail else taker
            credits[v] -= 1
            order.remove(taker)
            order.append(taker)
            events["flit"] += 1
        for v in range(channels):
            credits[v] += back[v]
        sync_credit += sync_back - (sync and spec.buffered)
        sent_last = sync
        await bench.edge()
    assert min(events["flit"], events["message"], events["stall"]) > 100, events
    assert events["flit waits"] > 20 or spec.cycles_per_hop == 1, events
