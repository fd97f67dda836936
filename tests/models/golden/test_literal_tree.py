"""A place agrees with the literal one on messages that no sound network sends."""

import random
from collections.abc import Sequence
from itertools import product

import pytest

from syncfabric.models.golden.irregular import ConfigRequest, IrregularModel
from syncfabric.models.golden.record import Message
from syncfabric.models.messages import CONTROL, TREE, Counter, Kind
from syncfabric.models.networks.spec import IrregularSpec
from tests.models.golden.irregular_bench import network_of
from tests.models.golden.literal_tree import LiteralTree

PORTS, GIDS = 4, (3, 77, 200)


class Pair:
    """The only switch of a network, or a node interface, beside its reference, fed alike."""

    def __init__(self, rng: random.Random, network: IrregularSpec, is_node: bool) -> None:
        self.rng, self.network, self.is_node = rng, network, is_node
        self.target = 0 if is_node else PORTS
        self.model = IrregularModel(network)
        self.place = self.model._routers[self.target]
        self.literal = LiteralTree(network, is_node)
        self.inputs = [0] if is_node else list(range(PORTS))
        self.waiting: dict[int, int] = {}
        self.asked: ConfigRequest | None = None
        self.now = 0

    def message(self) -> tuple[int, int]:
        """Return a port and what it presents, often just what a register waits for."""
        rng, register = self.rng, self.rng.choice(self.literal.now)
        missing = register["children"] & ~register["arrived"] & ~register["pending"]
        ports = [port for port in self.inputs if missing >> port & 1] or self.inputs
        port, kind = rng.choice(ports), Kind.REDUCE
        if register["fired"] and rng.random() < 0.7:
            kind, port = Kind.DISTRIBUTE, min(register["parent"], len(self.inputs) - 1)
        if rng.random() < 0.15:
            kind, port = Kind(rng.randrange(4)), rng.choice(self.inputs)
        fields = {"kind": kind, "gid": register["gid"]}
        fields["epoch"] = register["epoch"] ^ (rng.random() < 0.05)
        fields["data"] = rng.getrandbits(self.network.data_bits)
        return port, self.network.layout.sync.pack(fields)

    def request(self) -> ConfigRequest:
        """Return a request; one that sets a register up, or down, more often than not."""
        rng, number = self.rng, self.rng.randrange(len(GIDS))
        word = rng.choice((0, 0, 1, 1, rng.randrange(8)))
        ports = 2 if self.is_node else PORTS
        parent = 0 if self.is_node else rng.randrange(PORTS)
        data = TREE.pack({"parent": parent, "children": rng.randrange(1 << ports)})
        if word == 0:
            fields = {"valid": rng.random() < 0.8, "root": rng.random() < 0.4, "gid": GIDS[number]}
            last = 6 if self.network.operations == "all" else 3
            fields |= {"op": rng.randrange(last), "epoch": rng.randrange(4)}
            data = CONTROL.pack(fields)
        return ConfigRequest(self.target, 8 * number + word, rng.random() < 0.8, data)

    def step(self) -> None:
        rng, literal, place = self.rng, self.literal, self.place
        for _ in range(rng.choice((0, 1, 1, 2, 4))):
            self.waiting.setdefault(*self.message())
        arrive = {
            r: rng.getrandbits(self.network.data_bits)
            for r in range(len(GIDS))
            if self.is_node and rng.random() < 0.3
        }
        is_open = [rng.random() < 0.7 for _ in range(literal.ports)]
        for port, lane in enumerate(place.unit.rules.exits):
            if lane is not None:
                self.model.credits[lane] = is_open[port]
        request, self.asked = self.asked, self.request() if rng.random() < 0.15 else None

        literal.begin()
        sent = literal.send(is_open)
        if request is not None:
            literal.config(request, self.waiting, arrive)
        taken = literal.take(self.waiting, arrive, True)
        literal.edge()

        assert self.send(place.unit.rules.exits) == sent
        place.arriving = {port: self.letter(raw) for port, raw in self.waiting.items()}
        place.standing.clear()
        written = None
        if request is not None:
            met = place.matched(self.now) | arrive.keys()
            written = self.model._inputs.configure(request, met)
        here = {(self.target, r): data for r, data in arrive.items()}
        for process, r, data in self.model._inputs.accepted(here, True):
            process.arrive(r, data)
        place.take(self.now)
        assert set(self.waiting) - set(place.standing) == taken
        self.waiting = {port: raw for port, raw in self.waiting.items() if port not in taken}
        self.end(written is not None)

    def send(self, exits: Sequence[int | None]) -> dict[int, int]:
        """Return what the model's place sends, by output."""
        self.model._plane.sent.clear()
        self.place.send(self.now)
        return {exits.index(lane): message.raw for lane, message in self.model._plane.sent}

    def letter(self, raw: int) -> Message:
        fields = self.network.layout.sync.unpack(raw)
        kind, gid, epoch, data = (fields[name] for name in ("kind", "gid", "epoch", "data"))
        return Message(raw, kind, gid, epoch, 0, 0, data, 0, 0)

    def end(self, asked: bool) -> None:
        """End the cycle, and compare what shows from the next on."""
        model, literal, unit = self.model, self.literal, self.place.unit
        answers, model._answers[:] = model._answers[:], []
        assert (answers or [(False, False, 0)])[0] == literal.answer
        assert bool(answers) == asked
        unit.commit(self.now)
        model._plane.sent.clear()
        model._edge([])
        assert unit.observe() == literal.observe()
        released = [(0, *release) for release in literal.release]
        assert sorted(model._released) == released
        model._released.clear()
        self.now += 1


@pytest.mark.parametrize(
    ("hop", "operations", "is_node"), list(product((1, 2), ("bitwise", "all"), (False, True)))
)
def test_places_agree_on_anything(hop: int, operations: str, is_node: bool) -> None:
    rng = random.Random(f"{hop} {operations} {is_node}")
    network = network_of(
        PORTS,
        1,
        [],
        [(0, port) for port in range(PORTS)],
        cycles_per_hop=hop,
        operations=operations,
        barrier_registers=len(GIDS),
    )
    pair, strays, fired = Pair(rng, network, is_node), 0, 0
    for cycle in range(1500):
        pair.step()
        fired += sum(register["fired"] for register in pair.literal.now)
        if cycle % 80 == 79:
            strays += pair.literal.counters[Counter.STRAY]
            pair.place.unit.counters, pair.literal.counters = [0] * 4, [0] * 4
    assert strays > 200
    assert fired > 100
