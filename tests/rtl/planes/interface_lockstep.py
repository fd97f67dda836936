"""A golden node interface between its router and a process, with what is on its pins."""

import random
from collections import Counter, deque

from syncfabric.models.golden.engine.memory import Answer, Message
from syncfabric.models.golden.engine.node_port import Arrival
from syncfabric.models.golden.interface import NodeInterface
from syncfabric.models.golden.link import Sent
from syncfabric.models.golden.place import PlaceInputs, PlaceOutputs
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.router import Flit
from syncfabric.models.layout.engine import EPOCH_BITS, Kind
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.layout.words import ADDRESS_BITS, RouterWord, Target
from tests.rtl.planes.neighbour import (
    Neighbour,
    Pins,
    compare_chain,
    compare_process,
    link_pins,
    packed,
    wire_differences,
)
from tests.rtl.planes.set_up_draws import SetUpDraws

INDEX = 9


class InterfaceLockstep:
    """What a node interface is given, and what its golden model drives then.

    Parameters
    ----------
    shape : NodeShape
        Of the routers.
    registers : int
    rng : random.Random
    """

    def __init__(self, shape: NodeShape, registers: int, rng: random.Random) -> None:
        self.shape, self.registers, self.rng = shape, registers, rng
        self.seen = Counter[str]()
        self.manager = rng.choice((-1, *range(shape.managers)) if shape.managers else (-1,))
        self.interface = NodeInterface(shape, INDEX, registers, self.manager, shape.routers)
        self.resets = 0
        self.begin()

    def begin(self) -> None:
        """Begin after reset, with a router that has been reset, too."""
        shape, rng = self.shape, self.rng
        self.draws = None
        if shape.managers:
            self.draws = SetUpDraws(
                shape, 0, 6, lambda _: (rng.random() < 0.5, rng.getrandbits(EPOCH_BITS)), rng
            )
        self.router = Neighbour(
            self.interface.end.form,
            shape,
            rng,
            self.message,
            registers=0,
            guarded=shape.check_bits > 0,
            draws=self.draws,
        )
        self.requests: deque[ConfigRequest] = deque()
        self.waits = self.elsewhere = False
        self.room = [shape.buffer_flits] * shape.channels
        self.held = [0] * shape.channels
        self.left = [0] * shape.channels
        self.busy, self.frees = rng.choice((0.1, 0.5, 0.9)), rng.choice((0.1, 0.6))
        # A flit without a credit confuses guards.
        self.wrong = 0.0 if shape.check_bits else rng.choice((0.0, 0.1, 0.5))

    def message(self) -> Sent:
        """Return a message for some register, or for none."""
        rng, layout = self.rng, self.shape.layout
        kind = rng.choices(list(Kind), (6, 4, 2, 1))[0]
        data = 0 if kind in (Kind.GO, Kind.BROKEN) else rng.getrandbits(layout.data_bits)
        entry = rng.randrange(min(layout.entries, self.registers + 2))
        key = rng.getrandbits(layout.key_bits) if layout.key_bits else 0
        return Sent(Message(entry, rng.getrandbits(EPOCH_BITS), kind, data, key))

    def inject(self) -> Flit | None:
        """Return the process's flit."""
        rng = self.rng
        if not self.room or rng.random() > self.busy:
            return None
        c = rng.randrange(len(self.room))
        if not self.room[c] and rng.random() >= self.wrong:
            return None
        self.room[c] = max(0, self.room[c] - 1)
        head = not self.left[c]
        self.left[c] = rng.choice((1, 1, 3)) - 1 if head else self.left[c] - 1
        return Flit(c, rng.getrandbits(self.shape.flit_bits), head, not self.left[c])

    def request(self) -> ConfigRequest | None:
        """Return a request, if the last one has been answered."""
        rng = self.rng
        if self.waits or rng.random() < 0.2:
            return None
        if not self.requests:
            if self.draws and rng.random() < 0.7:
                for write, word, data in self.draws.commands():
                    self.ask(Target.MANAGER, int(write), word, data)
            else:
                word = rng.choice((*RouterWord, rng.randrange(32)))
                # A fence opens again soon.
                data = rng.getrandbits(32) & ~(rng.random() < 0.7)
                node = INDEX if rng.random() < 0.9 else INDEX - 1
                target = rng.choice((1, 2, rng.randrange(8)))
                if target != Target.MANAGER:
                    self.ask(target, rng.getrandbits(1), word, data, node)
                else:
                    self.ask(target, 0, word, data, node)
        self.waits = True
        return self.requests.popleft()

    def ask(self, target: int, write: int, word: int, data: int, node: int = INDEX) -> None:
        """Put a request into the queue."""
        at = target << ADDRESS_BITS | word
        self.requests.append(ConfigRequest(node, at, bool(write), data))

    def step(self) -> tuple[Pins, PlaceOutputs]:
        """Go through a cycle; return the input pins, and what is expected on the outputs."""
        rng, shape = self.rng, self.shape
        if not self.resets and rng.random() < 0.001:
            self.resets = 2
        reset = self.resets > 0
        forward, back = self.router.send(still=reset)
        credit = 0
        for c, count in enumerate(self.held):
            if count and rng.random() < self.frees:
                credit |= 1 << c
                self.held[c] -= 1
        further = None
        if self.elsewhere and rng.random() < 0.2:
            further, self.elsewhere = Answer(bool(rng.getrandbits(1)), rng.getrandbits(32)), False
        bits = shape.layout.data_bits
        some = [r for r in range(self.registers) if rng.random() < 0.2]
        inputs = PlaceInputs(
            {0: forward},
            {0: back},
            None if reset else self.request(),
            further,
            {r: Arrival(rng.getrandbits(bits), rng.random() < 0.2) for r in some},
            inject=None if reset else self.inject(),
            eject_credit=credit,
            reset=reset,
        )
        pins = self.pins(inputs)
        outputs = self.interface.step(inputs)
        self.router.take(outputs.forward[0], outputs.back[0])
        self.observe(outputs)
        if reset:
            self.resets -= 1
            self.seen["reset"] += 1
            if not self.resets:
                self.begin()
        return pins, outputs

    def observe(self, outputs: PlaceOutputs) -> None:
        """Follow what has come, and count what has happened."""
        for c in range(len(self.room)):
            back = outputs.inject_credit >> c & 1
            self.room[c] = min(self.shape.buffer_flits, self.room[c] + back)
        if outputs.eject:
            self.held[outputs.eject.channel] += 1
        if outputs.answer:
            self.waits = False
        if outputs.passing:
            self.elsewhere = True
        valid, channels = outputs.forward[0].valid, self.shape.channels
        self.seen["flit"] += valid & (1 << channels) - 1 > 0
        self.seen["request"] += valid >> channels > 0
        self.seen["message"] += outputs.forward[0].message_valid > 0
        self.seen["eject"] += outputs.eject is not None
        self.seen["released"] += len(outputs.process.released) > 0
        self.seen["answered"] += outputs.answer is not None and not outputs.answer.error

    def flit_word(self, flit: Flit | None) -> int:
        """Return the bits of a flit of the process; 0 if there is none."""
        if flit is None:
            return 0
        flags = flit.head | flit.tail << 1 | flit.cut << 2
        return flit.payload | flags << self.shape.flit_bits

    def pins(self, inputs: PlaceInputs) -> Pins:
        """Return all input pins."""
        rng, request, further, flit = self.rng, inputs.request, inputs.further, inputs.inject
        some, bits = inputs.arrivals, self.shape.layout.data_bits
        pins = {
            "reset": int(inputs.reset),
            "index": INDEX,
            "manager": int(self.manager >= 0),
            "manager_index": max(0, self.manager),
            "host__request_valid": int(request is not None),
            "host__request": packed(request) if request else rng.getrandbits(57),
            "next__answer_valid": int(further is not None),
            "next__answer_error": int(bool(further and further.error)),
            "next__answer_rdata": further.rdata if further else 0,
            "inject__valid": 1 << flit.channel if flit else 0,
            "inject__flit": self.flit_word(flit),
            "eject__credit": inputs.eject_credit,
            "arrive": sum(1 << r for r in some),
            "last": sum(1 << r for r, one in some.items() if one.last),
            "data": sum(one.data << r * bits for r, one in some.items()),
        }
        form = self.interface.end.form
        pins |= link_pins(form, "in_0", inputs.forward[0]._asdict())
        return pins | link_pins(form, "out_0", inputs.back[0]._asdict())

    def differences(self, outputs: PlaceOutputs, pins: Pins) -> list[str]:
        """Return the output pins that show something else than is expected."""
        form, wrong = self.interface.end.form, []
        names = list(link_pins(form, "out_0", outputs.forward[0]._asdict()))
        wrong += wire_differences(form, names, outputs.forward[0], pins)

        def compare(name: str, expected: int, meaning: int = -1) -> None:
            if name in pins and (pins[name] ^ expected) & meaning:
                wrong.append(f"{name} = {pins[name]:#x}, expected {expected:#x}")

        for name, value in link_pins(form, "in_0", outputs.back[0]._asdict()).items():
            compare(name, value)
        compare_chain(outputs.answer, outputs.passing, compare)
        compare_process(outputs.process, self.shape.layout.data_bits, compare)
        flit = outputs.eject
        compare("eject__valid", 1 << flit.channel if flit else 0)
        compare("eject__flit", self.flit_word(flit))
        compare("inject__credit", outputs.inject_credit)
        return wrong
