"""An output port against owners, orders and credits: who sends in every cycle."""

import random
from collections import deque
from typing import Any

import cocotb

from syncfabric.models.golden.order import LeastRecentlySent
from syncfabric.models.networks.mesh import Port, Turn
from syncfabric.models.networks.spec import MeshSpec
from tests.rtl.mesh.walks import outputs_from
from tests.rtl.support import Bench, Scoreboard

UNIT = 4


def network(**options: Any) -> MeshSpec:
    return MeshSpec(kind="mesh", width=4, height=5, flit_bits=24, **options)


CASES: dict[str, tuple[MeshSpec, int]] = {
    "east": (network(buffer_flits=3), 0),
    "north_two_channels": (network(channels=2, buffer_flits=2), 1),
    "south_own_links": (network(channels=2, buffer_flits=4, sync_links="own"), 3),
    "local_three_channels": (network(channels=3, buffer_flits=2), 4),
}


class Sender:
    """An input: its packets by channel, and what it offers in a cycle."""

    def __init__(self, rng: random.Random, spec: MeshSpec, number: int) -> None:
        self.rng, self.spec, self.number = rng, spec, number
        self.left: list[deque[tuple[int, bool, bool]]] = [deque() for _ in range(spec.channels)]

    def front(self, channel: int) -> tuple[int, bool, bool]:
        """Return bits, head and tail of the channel's next flit."""
        if not self.left[channel]:
            length = self.rng.randint(1, 5)
            for i in range(length):
                head, tail = i == 0, i == length - 1
                payload = self.rng.getrandbits(self.spec.flit_bits)
                bits = self.spec.layout.flit.pack({"payload": payload, "head": head, "tail": tail})
                self.left[channel].append((bits, head, tail))
        return self.left[channel][0]

    def offer(self, credits: list[int], owner: list[int | None]) -> int | None:
        """Return a channel whose flit can go, if the input likes to.

        A channel that is the only one is offered without a credit, too.
        """
        open_channels = [
            channel
            for channel in range(self.spec.channels)
            if (credits[channel] or self.spec.channels == 1)
            and owner[channel] == (None if self.front(channel)[1] else self.number)
        ]
        if not open_channels or self.rng.random() < 0.3:
            return None
        return self.rng.choice(open_channels)


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def sends_agree_with_orders(dut: Any, case: str) -> None:
    """Messages before flits, packets whole in their channel, no more flits than places."""
    spec, port = CASES[case]
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng = bench.pins[case], board.rng
    shared = port != Port.LOCAL and spec.sync_links == "shared"
    senders = [Sender(rng, spec, i) for i in range(5)]
    inputs = [i for i in range(5) if port in outputs_from(i, Turn.X_FIRST)]
    callers = [i for i in range(4) if i != port] + [UNIT] if shared else []
    order = LeastRecentlySent(5)
    credits = [spec.buffer_flits] * spec.channels
    owner: list[int | None] = [None] * spec.channels
    flits = stalls = messages = in_vain = 0
    await bench.reset()
    for cycle in range(1200):
        generous = cycle // 100 % 2
        sender = rng.choice(callers) if callers and rng.random() < 0.6 else None
        message = rng.getrandbits(spec.layout.sync.width)
        offers: dict[int, int] = {}
        for i in inputs:
            offered = senders[i].offer(credits, owner)
            if offered is not None and i != sender:
                offers[i] = offered
        may = sender is None and any(credits)
        in_vain += bool(offers) and not any(credits)
        taker = order.first(list(offers)) if offers and may else None
        places = [spec.buffer_flits] * spec.channels
        back = [
            credits[c] < places[c] and rng.random() < (0.8 if generous else 0.1)
            for c in range(spec.channels)
        ]

        stimulus = {
            "offer": sum(1 << i for i in offers),
            "link__credit": sum(1 << c for c in range(spec.channels) if back[c]),
            "sync_sends": sender is not None,
            "sync_take": 0 if sender is None else 1 << sender,
            "sync": message if sender == UNIT else rng.getrandbits(spec.layout.sync.width),
        }
        for i in range(5):
            word = rng.getrandbits(spec.layout.flit.width)  # of inputs that offer nothing here
            stimulus[f"offer_channel_{i}"] = 1 << offers[i] if i in offers else rng.getrandbits(1)
            if i in offers:
                word = senders[i].front(offers[i])[0]
            stimulus[f"flit_{i}"] = message if i == sender else word
        stimulus = {name: value for name, value in stimulus.items() if name in pins}
        pins.drive(stimulus)
        await bench.settle()

        expected = {
            "take": 0 if taker is None else 1 << taker,
            "link__valid": 0 if taker is None else 1 << offers[taker],
            "link__flit": 0 if taker is None else senders[taker].front(offers[taker])[0],
            "has_credit": sum(1 << c for c in range(spec.channels) if credits[c]),
            "busy": sum(1 << c for c in range(spec.channels) if owner[c] is not None),
        }
        if sender is not None:
            expected["link__flit"] = message
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)

        if taker is not None:
            channel = offers[taker]
            _, _, tail = senders[taker].left[channel].popleft()
            owner[channel] = None if tail else taker
            credits[channel] -= 1
            order.sent(taker)
            flits += 1
        messages += sender is not None
        for c in range(spec.channels):
            credits[c] += back[c]
        stalls += not all(credits)
        await bench.edge()
    assert min(flits, stalls) > 100
    assert messages > 100 or not shared
    assert (in_vain > 50) == (spec.channels == 1)
