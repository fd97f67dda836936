"""The router of packets whole: each flit of each link in every cycle, and what is dropped."""

from collections import deque
from typing import Any

import cocotb

from syncfabric.models.golden.order import LeastRecentlySent
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import MeshSpec
from tests.rtl.mesh.bench_input_port import HERE, InputModel, next_flit
from tests.rtl.mesh.wormhole import Flit
from tests.rtl.support import Bench, Scoreboard

NAMES = ("east", "north", "west", "south", "local")


def network(**options: Any) -> MeshSpec:
    return MeshSpec(kind="mesh", width=4, height=5, sync="wires", **options)


CASES = {
    "one_channel": network(flit_bits=16, buffer_flits=2),
    "three_channels": network(flit_bits=24, buffer_flits=3, channels=3),
}


class RouterModel:
    """Sections 1 and 2 of the contract: five inputs, and an owner and credits for each lane."""

    def __init__(self, spec: MeshSpec) -> None:
        self.inputs = [InputModel(spec) for _ in Port]
        self.channels = range(spec.channels)
        self.credits = [[spec.buffer_flits] * spec.channels for _ in Port]
        self.owners: list[list[int | None]] = [[None] * spec.channels for _ in Port]
        self.orders = [LeastRecentlySent(5) for _ in Port]

    def _word(self, high: Any) -> int:
        width = len(self.channels)
        return sum(bool(high(o, c)) << o * width + c for o in Port for c in self.channels)

    def choose(self) -> tuple[list[int | None], dict[int, int]]:
        """Return the channel that each input offers, and which input each output takes."""
        has_credit = self._word(lambda o, c: self.credits[o][c])
        busy = self._word(lambda o, c: self.owners[o][c] is not None)
        offers = [source.choose(has_credit, busy) for source in self.inputs]
        winners = {}
        for output in Port:
            wanting = [
                i
                for i, channel in enumerate(offers)
                if channel is not None
                and self.inputs[i].queues[channel][0].output == output
                and self.credits[output][channel]
            ]
            if wanting:
                winners[int(output)] = self.orders[output].first(wanting)
        return offers, winners

    def step(
        self,
        offers: list[int | None],
        winners: dict[int, int],
        flits: list[tuple[int, Flit] | None],
        credits: list[int],
    ) -> None:
        """End the cycle: ``flits`` come by the inputs, ``credits`` by the outputs."""
        for output, i in winners.items():
            channel = offers[i]
            assert channel is not None
            tail = self.inputs[i].queues[channel][0].tail
            self.owners[output][channel] = None if tail else i
            self.credits[output][channel] -= 1
            self.orders[output].sent(i)
        for output in Port:
            for channel in self.channels:
                self.credits[output][channel] += credits[output] >> channel & 1
        for i, source in enumerate(self.inputs):
            source.step(offers[i], i in winners.values(), flits[i])


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def every_flit_is_the_models(dut: Any, case: str) -> None:
    """Packets by all inputs at once, credits at any rate; in phases the buffers overflow."""
    spec, bench, board = CASES[case], Bench(dut), Scoreboard(case)
    pins, rng, model = bench.pins[case], board.rng, RouterModel(CASES[case])
    left: list[list[deque[Flit]]] = [[deque() for _ in range(spec.channels)] for _ in Port]
    lost = sent = 0
    load = hurry = 0.5
    await bench.reset(shaken=50)
    pins.drive({"x": HERE[0], "y": HERE[1]})
    for cycle in range(720):
        if cycle % 60 == 0:
            load, hurry = rng.choice((0.2, 0.6, 1.0)), rng.choice((0.1, 0.5, 0.95))
            careless = cycle // 60 % 6 == 5
            if careless:
                load, hurry = 1.0, 0.1
            # All to one node, next door or here: one output has all inputs to choose from.
            toward = rng.choice((None, HERE, (2, 2), (1, 3), (0, 2), (1, 1)))
        flits: list[tuple[int, Flit] | None] = []
        for port, source in enumerate(model.inputs):
            flit = next_flit(rng, spec, port, left[port], toward) if rng.random() < load else None
            flits.append(flit if careless or not source.overflow(flit) else None)
        credits = [
            sum(
                (model.credits[o][c] < spec.buffer_flits and rng.random() < hurry) << c
                for c in range(spec.channels)
            )
            for o in Port
        ]
        stimulus: dict[str, int] = {}
        for port, name in enumerate(NAMES):
            flit = flits[port]
            word = rng.getrandbits(spec.layout.flit.width) if flit is None else flit[1].bits
            stimulus[f"{name}_in__valid"] = 0 if flit is None else 1 << flit[0]
            stimulus[f"{name}_in__flit"] = word
            stimulus[f"{name}_out__credit"] = credits[port]
        offers, winners = model.choose()
        dropped = [s.overflow(flits[i]) for i, s in enumerate(model.inputs)]
        expected: dict[str, int] = {"overflows": sum(dropped)}
        for port, name in enumerate(NAMES):
            expected[f"{name}_in__credit"] = model.inputs[port].credit
            expected[f"{name}_out__valid"] = 0
            channel = offers[winners[port]] if port in winners else None
            if channel is not None:
                front = model.inputs[winners[port]].queues[channel][0]
                expected[f"{name}_out__valid"] = 1 << channel
                expected[f"{name}_out__flit"] = front.bits
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        for port, flit in enumerate(flits):
            if flit is not None and not dropped[port]:
                left[port][flit[0]].popleft()
        lost, sent = lost + sum(dropped), sent + len(winners)
        model.step(offers, winners, flits, credits)
        await bench.edge()
    assert lost > 10
    assert sent > 300
