"""An input port against queues and slots: what it offers and presents in every cycle."""

import random
from collections import deque
from typing import Any

import cocotb

from syncfabric.models.golden.order import LeastRecentlySent
from syncfabric.models.networks.mesh import Port, Turn
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
    """Sections 1 to 3 of the contract for one input port.

    Attributes
    ----------
    queues : list of deque of Flit, by channel
    slots : dict of class to (bits, output)
    credit, sync_credit : int
        High in this cycle.
    """

    def __init__(self, spec: MeshSpec, port: int) -> None:
        self.spec, self.shared = spec, port != Port.LOCAL and spec.sync_links == "shared"
        self.queues: list[deque[Flit]] = [deque() for _ in range(spec.channels)]
        self.begun = [False] * spec.channels
        self.order = LeastRecentlySent(spec.channels)
        self.slots: dict[int, tuple[int, int]] = {}
        self.last = 1
        self.credit = self.sync_credit = 0

    def choose(self, has_credit: int, busy: int, sync_credit: int) -> tuple[int | None, int | None]:
        """Return the class that is presented and the channel that is offered."""
        eligible = [
            turn
            for turn, (_, way) in self.slots.items()
            if way == Port.LOCAL or sync_credit >> 2 * way + turn & 1
        ]
        presented = None
        if eligible:
            presented = 1 - self.last if len(eligible) == 2 else eligible[0]
        if presented is not None and self.shared:
            return presented, None
        requests = []
        for channel, queue in enumerate(self.queues):
            if queue:
                bit = queue[0].output * self.spec.channels + channel
                owned = self.begun[channel] or not busy >> bit & 1
                if has_credit >> bit & 1 and owned:
                    requests.append(channel)
        return presented, self.order.first(requests) if requests else None

    def overflow(self, flit: tuple[int, Flit] | None, sync: tuple[int, int, int] | None) -> int:
        """Return the ``overflow`` bits for what is on the link."""
        full = flit is not None and len(self.queues[flit[0]]) == self.spec.buffer_flits
        return full | (sync is not None and sync[0] in self.slots) << 1

    def step(
        self,
        presented: int | None,
        sync_take: bool,
        channel: int | None,
        take: bool,
        flit: tuple[int, Flit] | None,
        sync: tuple[int, int, int] | None,
    ) -> None:
        """End the cycle."""
        lost = self.overflow(flit, sync)
        self.credit = self.sync_credit = 0
        if presented is not None:
            self.last = presented
        if presented is not None and sync_take:
            del self.slots[presented]
            self.sync_credit = 1 << presented
        if channel is not None and take:
            self.begun[channel] = not self.queues[channel].popleft().tail
            self.order.sent(channel)
            self.credit = 1 << channel
        if flit is not None and not lost & 1:
            self.queues[flit[0]].append(flit[1])
        if sync is not None and not lost & 2:
            self.slots[sync[0]] = (sync[1], sync[2])


def next_flit(
    rng: random.Random, spec: MeshSpec, port: int, left: list[deque[Flit]]
) -> tuple[int, Flit]:
    """Return a channel and its next flit, which stays where it is."""
    channel = rng.randrange(spec.channels)
    if not left[channel]:
        there = rng.choice(destinations(spec.mesh, HERE, port, Turn.X_FIRST))
        left[channel] += packet(rng, spec.layout, spec.mesh, HERE, there)
    return channel, left[channel][0]


def next_sync(rng: random.Random, spec: MeshSpec, port: int) -> tuple[int, int, int]:
    """Return class, bits and output of a message."""
    turn = Turn(rng.randrange(2))
    there = rng.choice(destinations(spec.mesh, HERE, port, turn))
    fields = {field.name: rng.getrandbits(field.width) for field in spec.layout.sync.fields}
    bits = spec.layout.sync.pack({**fields, "x": there[0], "y": there[1], "turn": turn})
    return int(turn), bits, int(spec.mesh.first_port(HERE, there, turn))


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def offers_agree_with_queues(dut: Any, case: str) -> None:
    """Random links, credits and takers; in phases the buffers overflow."""
    spec, port = CASES[case]
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng, model = bench.pins[case], board.rng, InputModel(spec, port)
    left: list[deque[Flit]] = [deque() for _ in range(spec.channels)]
    has_sync, mixed = port != Port.LOCAL, port != Port.LOCAL and spec.sync_links == "own"
    width = 5 * spec.channels
    lost, taken, syncs, hurry = 0, 0, 0, 0.5
    await bench.reset()
    pins.drive({"x": HERE[0], "y": HERE[1]})
    for cycle in range(1200):
        if cycle % 60 == 0:
            hurry = rng.choice([0.15, 0.5, 0.95])
        flit = next_flit(rng, spec, port, left) if rng.random() < 0.7 else None
        sync = None
        if has_sync and (mixed or flit is None) and rng.random() < 0.6:
            sync = next_sync(rng, spec, port)
        has_credit = rng.getrandbits(width) | rng.getrandbits(width)
        busy = rng.getrandbits(width) & rng.getrandbits(width)
        for number, queue in enumerate(model.queues):
            if model.begun[number] and queue:
                busy |= 1 << queue[0].output * spec.channels + number
        sync_credits = rng.getrandbits(8)
        presented, channel = model.choose(has_credit, busy, sync_credits)
        take = channel is not None and rng.random() < hurry
        sync_take = presented is not None and rng.random() < hurry
        stimulus = {
            "link__valid": 0 if flit is None else 1 << flit[0],
            "link__flit": 0 if flit is None else flit[1].bits,
            "link__sync_valid": 0 if sync is None else 1 << sync[0],
            "has_credit": has_credit,
            "busy": busy,
            "has_sync_credit": sync_credits,
            "take": take,
            "sync_take": sync_take,
        }
        stimulus = {name: value for name, value in stimulus.items() if name in pins}
        if sync is not None:
            stimulus["link__sync" if mixed else "link__flit"] = sync[1]
        elif mixed:
            stimulus["link__sync"] = 0
        pins.drive(stimulus)
        await bench.settle()
        expected: dict[str, int] = {
            "link__credit": model.credit,
            "overflow": model.overflow(flit, sync),
            "offer": 0,
        }
        if channel is not None:
            front = model.queues[channel][0]
            expected |= {
                "offer": 1 << front.output,
                "offer_channel": 1 << channel,
                "flit": front.bits,
            }
        if has_sync:
            expected |= {"link__sync_credit": model.sync_credit, "present": 0, "present_route": 0}
        if presented is not None:
            bits, output = model.slots[presented]
            expected |= {"present": 1 << presented, "present_route": 1 << output, "sync": bits}
            if not mixed:
                expected["flit"] = bits  # nothing above the message's own width
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        lost |= model.overflow(flit, sync)
        taken += take
        syncs += sync_take
        if flit is not None and not model.overflow(flit, sync) & 1:
            left[flit[0]].popleft()
        model.step(presented, sync_take, channel, take, flit, sync)
        await bench.edge()
    assert lost == (3 if has_sync else 1)
    assert taken > 100
    assert syncs > 100 or not has_sync
