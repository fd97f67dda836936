"""An input port against queues of flits: what it offers, frees and drops in every cycle."""

import random
from collections import Counter, deque
from typing import Any

import cocotb

from syncfabric.models.networks.spec import IrregularSpec
from tests.rtl.irregular.packets import NOWHERE, Arriving, Stored, packet
from tests.rtl.irregular.specs import network
from tests.rtl.support import Bench, Scoreboard

CASES = {
    "input_one_place": network(),
    "input_two_channels": network(ports=4, channels=2, buffer_flits=3),
    "input_four_channels": network(channels=4, buffer_flits=2, switches=3),
    "input_managed": network(setup="manager", buffer_flits=2, flit_bits=32),
}
NUMBER = 1


class Link:
    """What comes in on one channel."""

    def __init__(self, rng: random.Random, spec: IrregularSpec, table: tuple[int, ...]) -> None:
        self.rng, self.spec = rng, spec
        self.left: deque[int] = deque()
        self.arriving = Arriving(spec, NUMBER, table)

    def front(self) -> int:
        """Return the next flit, which stays where it is."""
        if not self.left:
            self.left.extend(packet(self.rng, self.spec))
        return self.left[0]

    def arrive(self) -> Stored:
        """Return the next flit as it is stored."""
        return self.arriving.store(self.left.popleft())


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def offers_agree_with_queues(dut: Any, case: str) -> None:
    """Random links, credits, owners, datelines and takers; in phases the buffers overflow."""
    spec = CASES[case]
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng, ports, channels = bench.pins[case], board.rng, spec.ports, spec.link_channels
    table = tuple(rng.randrange(ports + 1) for _ in range(spec.switches))
    links = [Link(rng, spec, table) for _ in range(channels)]
    queues: list[deque[Stored]] = [deque() for _ in range(channels)]
    begun = [False] * channels
    order, credit, events = list(range(channels)), 0, Counter[str]()
    hurry, dateline = 0.5, 0
    await bench.reset()
    width = spec.layout.port_bits
    pins.drive({"number": NUMBER, "routes": sum(c << width * d for d, c in enumerate(table))})
    for cycle in range(1000):
        if cycle % 50 == 0:
            hurry = rng.choice([0.15, 0.5, 0.95])
            dateline = rng.getrandbits(ports) if spec.channels > 1 else 0
        has_credit = rng.getrandbits(ports * channels) | rng.getrandbits(ports * channels)
        busy = rng.getrandbits(ports * channels) & rng.getrandbits(ports * channels)
        sink_busy, listening = rng.random() < 0.3, rng.random() < 0.5

        def crossed(v: int, output: int, dateline: int = dateline) -> int:
            """Return the channel that a packet goes on in."""
            return v | 1 if output not in (NOWHERE, ports) and dateline >> output & 1 else v

        requests = []
        for v, queue in enumerate(queues):
            if not queue:
                continue
            output = queue[0].output
            bit = output * channels + crossed(v, output)
            if output == NOWHERE:
                free = True
            elif output == ports:
                free = begun[v] or not sink_busy
                deaf = v == spec.channels and not listening  # where set-up packets end
                events["kept waiting"] += free and deaf
                free = free and not deaf
            else:
                free = has_credit >> bit & 1 == 1 and (begun[v] or not busy >> bit & 1)
            if free:
                requests.append(v)
        offers = next((v for v in order if v in requests), None)
        front = None if offers is None else queues[offers][0]
        take = front is not None and front.output != NOWHERE and rng.random() < hurry
        comes = rng.randrange(channels) if rng.random() < 0.7 else None
        lost = comes is not None and len(queues[comes]) == spec.buffer_flits
        stimulus = {
            "link__valid": 0 if comes is None else 1 << comes,
            "link__flit": 0 if comes is None else links[comes].front(),
            "has_credit": has_credit,
            "busy": busy,
            "sink_busy": sink_busy,
            "dateline": dateline,
            "take": take,
        } | ({"listening": listening} if spec.managed else {})
        expected: dict[str, int] = {"link__credit": credit, "overflow": lost, "offer": 0}
        if front is not None and offers is not None and front.output != NOWHERE:
            expected |= {"offer": 1 << front.output, "flit": front.bits}
            if front.output < ports:
                expected["offer_channel"] = 1 << crossed(offers, front.output)
                events["crossed"] += take and crossed(offers, front.output) != offers
            else:
                events["sink"] += take
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)

        credit = 0
        if front is not None and offers is not None and (take or front.output == NOWHERE):
            queues[offers].popleft()
            begun[offers] = not front.tail
            order.remove(offers)
            order.append(offers)
            credit = 1 << offers
            events["taken"] += take
            events["used up"] += front.output == NOWHERE
        if comes is not None and not lost:
            queues[comes].append(links[comes].arrive())
        events["lost"] += lost
        await bench.edge()
    assert min(events["taken"], events["lost"]) > 100, events
    assert min(events["used up"], events["sink"]) > 10, events
    assert events["crossed"] > 10 or spec.channels == 1, events
    assert events["kept waiting"] > 10 or not spec.managed, events
