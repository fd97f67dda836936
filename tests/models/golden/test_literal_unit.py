"""The model's barrier unit agrees with the literal one on messages that no sound network sends."""

import random

import pytest

from syncfabric.models.golden.barrier_register import PARENT
from syncfabric.models.golden.barrier_unit import BarrierUnit
from syncfabric.models.golden.config_port import configure
from syncfabric.models.golden.record import ConfigRequest, Message
from syncfabric.models.golden.rules import Rules
from syncfabric.models.golden.wiring import Wiring
from syncfabric.models.messages import CONTROL, NODE_WORD, Counter, Kind
from syncfabric.models.networks.spec import MeshSpec
from tests.models.golden.literal_unit import LiteralUnit, route

CENTRE, GIDS = 4, (3, 77, 200)


class Pair:
    """Both units in the centre of a 3x3 mesh, fed alike."""

    def __init__(self, rng: random.Random, network: MeshSpec) -> None:
        self.rng, self.network = rng, network
        self.wiring = Wiring(network)
        self.credits = [0] * self.wiring.links * self.wiring.lanes
        self.released: list[tuple[int, int, int]] = []
        rules = Rules(network, self.wiring)
        self.unit = BarrierUnit(network, rules, CENTRE, self.credits, self.released)
        self.literal = LiteralUnit(network, (1, 1))
        self.waiting: dict[int, tuple[int, int]] = {}

    def message(self) -> tuple[int, tuple[int, int]]:
        """Return a port and what it presents, often just what a register waits for.

        As a rule no REDUCE comes from a child that has not been told of the last release.
        """
        rng, register = self.rng, self.rng.choice(self.literal.registers)
        port, kind = rng.randrange(4), Kind.REDUCE
        sync_class = 1 - port % 2
        if register["fired"] and rng.random() < 0.7:
            kind, port = Kind.DISTRIBUTE, route((1, 1), register["nodes"][0][:2], register["turn"])
            sync_class = 1 - register["turn"]
        if rng.random() < 0.15:
            kind, port, sync_class = Kind(rng.randrange(4)), rng.randrange(4), rng.getrandbits(1)
        if kind is Kind.REDUCE and register["pending"] & 15:
            kind = Kind.GO
        fields = {"kind": kind, "gid": register["gid"], "x": 1, "y": 1, "turn": sync_class}
        fields["epoch"] = register["epoch"] ^ (rng.random() < 0.05)
        fields["data"] = rng.getrandbits(self.network.data_bits)
        return port, (sync_class, self.network.layout.sync.pack(fields))

    def request(self, number: int) -> ConfigRequest:
        """Return a request; one that sets a register up, or down, more often than not."""
        rng, register = self.rng, self.literal.registers[number]
        word = rng.choice((0, 0, rng.randrange(8)))
        nodes = [(1, 1), (2, 0), (0, 2), (0, 1), (1, 0)]
        data = NODE_WORD.pack({"x": 2, "y": 1, "present": rng.getrandbits(1)})
        if word == 1:
            x, y = rng.choice(nodes[1:])
            data = NODE_WORD.pack({"x": x | 4, "y": y | 8, "present": 1})
        if word == 0:
            parent_is_here = register["nodes"][0][:2] == (1, 1)
            fields = {"valid": rng.random() < 0.8, "root": parent_is_here or rng.random() < 0.4}
            fields |= {"turn": rng.getrandbits(1), "gid": GIDS[number]}
            last = 6 if self.network.operations == "all" else 3
            fields |= {"op": rng.randrange(last), "epoch": rng.randrange(4)}
            data = CONTROL.pack(fields)
        return ConfigRequest(CENTRE, 8 * number + word, rng.random() < 0.8, data)

    def step(self) -> None:
        rng, unit, literal = self.rng, self.unit, self.literal
        for _ in range(rng.choice((0, 1, 1, 2, 4))):
            port, presented = self.message()
            self.waiting.setdefault(port, presented)
        arrive = {
            r: rng.getrandbits(self.network.data_bits)
            for r in range(len(GIDS))
            if rng.random() < 0.3
        }
        request = self.request(rng.randrange(len(GIDS))) if rng.random() < 0.1 else None
        credits = {(port, c): rng.choice((0, 1, 1)) for port in range(4) for c in range(2)}
        for (port, sync_class), credit in credits.items():
            lane = self.wiring.lane(CENTRE, port, self.wiring.channels + sync_class)
            self.credits[lane] = credit
        win = {port for port in range(4) if rng.random() < 0.8}

        taken = literal.take(self.waiting, arrive, request, True)
        offers = literal.offer(credits)
        literal.edge([place for port, (_, _, place) in offers.items() if port in win], 0)
        expected = {port: message for port, (_, message, _) in offers.items()}

        answer = (False, False, 0)
        if request is not None:
            answer = (True, *configure(unit, request.address, request.write, request.data))
        accepted = [r for r in arrive if unit.accepts(r, started=True)]
        for _ in range(len(arrive) - len(accepted)):
            unit.count(Counter.REFUSED_ARRIVE)
        assert self.absorb_and_send(win) == (taken, expected)
        for r in accepted:
            unit.arrive(r, arrive[r])
        unit.commit()
        assert answer == literal.answer
        assert unit.observe() == literal.observe()
        assert [register.done for register in unit.registers] == [
            register["done"] for register in literal.registers
        ]
        assert sorted(self.released) == [(CENTRE, *release) for release in literal.release]
        self.released.clear()
        for port in taken:
            del self.waiting[port]

    def absorb_and_send(self, win: set[int]) -> tuple[set[int], dict[int, int]]:
        """Return the ports taken and the messages offered; do what the model's router does."""
        here = {}
        for port in sorted(self.waiting):
            sync_class, raw = self.waiting[port]
            fields = self.network.layout.sync.unpack(raw)
            kind, gid, epoch, data = (fields[name] for name in ("kind", "gid", "epoch", "data"))
            here[port] = Message(raw, kind, gid, epoch, 0, sync_class, data, 0, 0)
        outbox, taken, sent_up = self.unit.outbox, [], None
        if not self.network.barrier_pipeline:
            taken = self.unit.absorb(here, None)
        offers = outbox.offers()
        found = {}
        for port, offer in offers.items():
            data = outbox.senders[offer.sender].data_for(offer.place)
            found[port] = offer.letter.raw | data << self.unit.data_at
            if port in win:
                outbox.sent(offer)
                if offer.place == PARENT:
                    sent_up = offer.sender
        if self.network.barrier_pipeline:
            taken = self.unit.absorb(here, sent_up)
        return set(taken), found


@pytest.mark.parametrize("pipeline", [0, 1])
@pytest.mark.parametrize("operations", ["bitwise", "all"])
def test_units_agree_on_anything(pipeline: int, operations: str) -> None:
    rng = random.Random(f"{pipeline} {operations}")
    network = MeshSpec.model_validate(
        {
            "kind": "mesh",
            "width": 3,
            "height": 3,
            "barrier_registers": len(GIDS),
            "barrier_pipeline": pipeline,
            "operations": operations,
        }
    )
    pair, releases, strays = Pair(rng, network), 0, 0
    for cycle in range(1200):
        pair.step()
        releases += len(pair.literal.release)
        if cycle % 80 == 79:
            strays += pair.literal.counters[Counter.STRAY]
            pair.unit.counters, pair.literal.counters = [0] * 4, [0] * 4
    assert releases > 200
    assert strays > 200
