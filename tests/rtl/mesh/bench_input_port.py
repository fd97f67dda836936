"""An input port against queues: what it offers in every cycle, and what its slots hold."""

import random
from collections import deque
from typing import Any

import cocotb

from syncfabric.models.golden.order import LeastRecentlySent
from syncfabric.models.networks.mesh import Node, Port, Turn
from syncfabric.models.networks.spec import MeshSpec
from tests.rtl.mesh.wormhole import Flit, destinations, packet
from tests.rtl.support import Bench, Scoreboard

HERE = (1, 2)


def network(**options: Any) -> MeshSpec:
    return MeshSpec(kind="mesh", width=4, height=5, flit_bits=24, **options)


CASES: dict[str, tuple[MeshSpec, int]] = {
    "east": (network(buffer_flits=3), 0),
    "north_two_channels": (network(channels=2, buffer_flits=4), 1),
    "west_own_links": (network(channels=2, buffer_flits=2, sync_links="own"), 2),
    "south_two_places": (network(buffer_flits=2), 3),
    "local_three_channels": (network(channels=3, buffer_flits=5), 4),
}


class InputModel:
    """Sections 1 and 2 of the contract for one input port.

    Attributes
    ----------
    queues : list of deque of Flit, by channel
    credit : int
        High in this cycle.
    """

    def __init__(self, spec: MeshSpec) -> None:
        self.spec = spec
        self.queues: list[deque[Flit]] = [deque() for _ in range(spec.channels)]
        self.begun = [False] * spec.channels
        self.order = LeastRecentlySent(spec.channels)
        self.credit = 0

    def choose(self, has_credit: int, busy: int) -> int | None:
        """Return the channel that is offered, if no message is presented."""
        requests = []
        for channel, queue in enumerate(self.queues):
            if queue:
                bit = queue[0].output * self.spec.channels + channel
                owned = self.begun[channel] or not busy >> bit & 1
                # Of a single channel's credits the output takes care.
                if owned and (self.spec.channels == 1 or has_credit >> bit & 1):
                    requests.append(channel)
        return self.order.first(requests) if requests else None

    def overflow(self, flit: tuple[int, Flit] | None) -> bool:
        """Return whether there is no place for what is on the link."""
        return flit is not None and len(self.queues[flit[0]]) == self.spec.buffer_flits

    def step(self, channel: int | None, take: bool, flit: tuple[int, Flit] | None) -> None:
        """End the cycle."""
        lost = self.overflow(flit)
        self.credit = 0
        if channel is not None and take:
            self.begun[channel] = not self.queues[channel].popleft().tail
            self.order.sent(channel)
            self.credit = 1 << channel
        if flit is not None and not lost:
            self.queues[flit[0]].append(flit[1])


def next_flit(
    rng: random.Random,
    spec: MeshSpec,
    port: int,
    left: list[deque[Flit]],
    toward: Node | None = None,
) -> tuple[int, Flit]:
    """Return a channel and its next flit, which stays where it is; new packets go to a node."""
    channel = rng.randrange(spec.channels)
    if not left[channel]:
        there = rng.choice(destinations(spec.mesh, HERE, port, Turn.X_FIRST))
        if toward in destinations(spec.mesh, HERE, port, Turn.X_FIRST):
            there = toward
        left[channel] += packet(rng, spec.layout, spec.mesh, HERE, there)
    return channel, left[channel][0]


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def offers_agree_with_queues(dut: Any, case: str) -> None:
    """Random links, credits and takers; in phases the buffers overflow, or messages come."""
    spec, port = CASES[case]
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng, model = bench.pins[case], board.rng, InputModel(spec)
    left: list[deque[Flit]] = [deque() for _ in range(spec.channels)]
    slots: list[int | None] = [None, None]
    has_sync = port != Port.LOCAL and spec.sync_links == "shared"
    width = 5 * spec.channels
    lost, taken, syncs, hurry = 0, 0, 0, 0.5
    await bench.reset()
    pins.drive({"x": HERE[0], "y": HERE[1]})
    for cycle in range(1200):
        if cycle % 60 == 0:
            hurry = rng.choice([0.15, 0.5, 0.95])
        flit = next_flit(rng, spec, port, left) if rng.random() < 0.7 else None
        turn, message = rng.randrange(2), rng.getrandbits(spec.layout.sync.width)
        arrives = has_sync and flit is None and rng.random() < 0.8
        store = arrives and rng.random() < 0.7
        presented = rng.choice([None, *(t for t in range(2) if slots[t] is not None)])
        has_credit = rng.getrandbits(width) | rng.getrandbits(width)
        busy = rng.getrandbits(width) & rng.getrandbits(width)
        for number, queue in enumerate(model.queues):
            if model.begun[number] and queue:
                busy |= 1 << queue[0].output * spec.channels + number
        channel = None if presented is not None else model.choose(has_credit, busy)
        take = channel is not None and rng.random() < hurry
        stimulus: dict[str, int] = {
            "link__valid": 0 if flit is None else 1 << flit[0],
            "link__flit": message if arrives else 0 if flit is None else flit[1].bits,
            "has_credit": has_credit,
            "busy": busy,
            "take": take,
        }
        if has_sync:
            stimulus |= {
                "arrives": arrives << turn,
                "store": store,
                "presents": presented is not None,
                "present": 0 if presented is None else 1 << presented,
            }
        pins.drive(stimulus)
        await bench.settle()
        expected: dict[str, int] = {
            "link__credit": model.credit,
            "overflow": model.overflow(flit),
            "offer": 0,
        }
        if channel is not None:
            front = model.queues[channel][0]
            expected |= {
                "offer": 1 << front.output,
                "offer_channel": 1 << channel,
                "flit": front.bits,
            }
        if presented is not None:
            kept = slots[presented]
            assert kept is not None
            expected["flit"] = kept  # nothing above the message's own width
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        lost += model.overflow(flit)
        taken += take
        syncs += presented is not None
        if store:
            slots[turn] = message
        if flit is not None and not model.overflow(flit):
            left[flit[0]].popleft()
        model.step(channel, take, flit)
        await bench.edge()
    assert lost
    assert taken > 100
    assert syncs > 100 or not has_sync
