"""The golden barrier unit of one node, with the router around it played by a bench."""

from dataclasses import dataclass, field

from syncfabric.models.golden.barrier_unit import BarrierUnit
from syncfabric.models.golden.config_port import configure
from syncfabric.models.golden.outbox import Offer
from syncfabric.models.golden.record import Answer, Message
from syncfabric.models.golden.rules import Rules
from syncfabric.models.golden.wiring import Wiring
from syncfabric.models.messages import Counter, RegisterWord, register_address
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["UnitInputs", "UnitModel", "message_of"]


def message_of(spec: MeshSpec, bits: int) -> Message:
    """Return a message as the golden model has it."""
    fields = spec.layout.sync.unpack(bits)
    code = spec.layout.header.pack({"x": fields["x"], "y": fields["y"]})
    return Message(
        bits,
        fields["kind"],
        fields["gid"],
        fields["epoch"],
        code,
        fields["turn"],
        fields["data"],
        0,
        0,
    )


@dataclass
class UnitInputs:
    """What reaches the unit in a cycle, but for what the router takes of its offers.

    ``credits`` has bit 2·output + class, ``request`` is (address, write, data).
    """

    here: dict[int, Message] = field(default_factory=dict)
    credits: int = 0
    overflows: int = 0
    arrive: dict[int, int] = field(default_factory=dict)
    start: bool = False
    request: tuple[int, bool, int] | None = None


class UnitModel:
    """Steps ``models/golden`` for one node (docs/microarchitecture.md, sections 4 and 5).

    Attributes
    ----------
    release : list of (register, result)
        High in this cycle.
    answer : (ready, error, data)
        Of the config port in this cycle.
    """

    def __init__(self, spec: MeshSpec, node: int) -> None:
        wiring = Wiring(spec)
        rules = Rules(spec, wiring)
        self.spec, self.wiring, self.node = spec, wiring, node
        self.credits = [0] * (wiring.links * wiring.lanes)
        self._released: list[tuple[int, int, int]] = []
        self._answers: list[Answer] = []
        self.unit = BarrierUnit(spec, rules, node, self.credits, self._released)
        self.now, self.started = 0, False
        self.release: list[tuple[int, int]] = []
        self.answer: Answer = (False, False, 0)
        self.offers: dict[int, Offer] = {}
        self.taken: set[int] = set()
        self._kept: dict[int, int] = {}

    def reset(self) -> "UnitModel":
        """Return what a reset leaves: words 1 to 5 read as they did, until they are written."""
        after = UnitModel(self.spec, self.node)
        for r, register in enumerate(self.unit.registers):
            for word in range(RegisterWord.PARENT, RegisterWord.SOUTH + 1):
                address = register_address(r, RegisterWord(word))
                after._kept[address] = self._kept.get(address, register.read(word) or 0)
        return after

    def offered(self, offer: Offer) -> int:
        """Return the bits of an offered message."""
        data = self.unit.outbox.senders[offer.sender].data_for(offer.place)
        return offer.letter.raw | data << self.unit.data_at

    def step(self, inputs: UnitInputs, sent: int, sent_bits: dict[int, int]) -> None:
        """Go through a cycle; ``offers``, ``taken`` and ``sent_bits`` are what must be seen in it.

        Parameters
        ----------
        inputs : UnitInputs
        sent : int
            Outputs that would send the unit's message, offered or not.
        sent_bits : dict
            Is given the bits of every offered message by output.
        """
        for port in range(4):
            for turn in range(2):
                lane = self.wiring.lane(self.node, port, self.wiring.channels + turn)
                self.credits[lane] = inputs.credits >> 2 * port + turn & 1
        started, unit = self.started, self.unit
        self._ask(inputs)
        accepted = {}
        for r, data in inputs.arrive.items():
            if unit.accepts(r, started):
                accepted[r] = data
            else:
                unit.count(Counter.REFUSED_ARRIVE)
        here = dict(sorted(inputs.here.items()))
        if self.spec.barrier_pipeline:
            sent_up = self._send(sent, sent_bits)
            self.taken = set(unit.absorb(here, sent_up))
        else:
            self.taken = set(unit.absorb(here, None))
            self._send(sent, sent_bits)
        for _ in range(inputs.overflows):
            unit.count(Counter.OVERFLOW)
        for r, data in accepted.items():
            unit.arrive(r, data)
        unit.commit()
        self._turn_page(inputs.start)

    def _ask(self, inputs: UnitInputs) -> None:
        if inputs.request is None:
            return
        address, write, data = inputs.request
        if address in self._kept and not write:
            self._answers.append((True, False, self._kept[address]))
        else:
            refused, found = configure(self.unit, address, write, data)
            self._answers.append((True, refused, found))
            if not refused:
                self._kept.pop(address, None)

    def _send(self, sent: int, sent_bits: dict[int, int]) -> int | None:
        """Offer, and send what the outputs take; return the register that sent to its parent."""
        self.offers, sent_up = self.unit.outbox.offers(), None
        for port, offer in self.offers.items():
            sent_bits[port] = self.offered(offer)
        for port, offer in self.offers.items():
            if sent >> port & 1:
                self.unit.outbox.sent(offer)
                sent_up = offer.sender if offer.place == 4 else sent_up
        return sent_up

    def _turn_page(self, start: bool) -> None:
        self.release = sorted((r, result) for _, r, result in self._released)
        self.answer = self._answers.pop() if self._answers else (False, False, 0)
        self._released.clear()
        self.now += 1
        self.started = self.started or start
