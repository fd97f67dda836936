"""A node with a serial unit agrees with the literal one on what no sound network sends."""

import random
from typing import Any

import pytest

from syncfabric.models.golden.mesh import ConfigRequest, MeshModel
from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import Message
from syncfabric.models.messages import CONTROL, NODE_WORD, Counter, Kind
from syncfabric.models.networks.spec import MeshSpec
from tests.models.golden.literal_serial import LiteralSerialMesh, LiteralSerialUnit
from tests.models.golden.literal_unit import HERE, route
from tests.models.golden.test_literal import Race

CENTRE, AT = 4, (1, 1)
GIDS = (3, 77, 200, 9)


class Crossing:
    """Model and literal reading of a 3x3 mesh in whose centre slots fill by themselves."""

    def __init__(self, rng: random.Random, network: MeshSpec) -> None:
        self.rng, self.network, model = rng, network, model_of(network)
        assert isinstance(model, MeshModel)
        self.both = Race(model, LiteralSerialMesh(network))
        self.router, unit = model._routers[CENTRE], self.both.literal.units[CENTRE]
        assert isinstance(unit, LiteralSerialUnit)
        self.unit = unit
        self.dead: tuple[int, int] | None = None
        self.both.step({}, start=True)

    def message(self, sync_class: int) -> tuple[int, Message]:
        """Return a port and a message of a class, often what a register waits for."""
        rng, register = self.rng, rng_choice(self.rng, self.unit.registers)
        kind, port, to = Kind.REDUCE, rng.choice((1 - sync_class, 3 - sync_class)), AT
        up = route(AT, register["nodes"][0][:2], register["turn"])
        if register["fired"] and up != HERE and sync_class != register["turn"]:
            kind, port = Kind.DISTRIBUTE, up
        if rng.random() < 0.1:
            kind, port = Kind(rng.randrange(4)), rng.randrange(4)
        if rng.random() < 0.3:
            to = rng.choice([node for node in self.network.mesh.nodes if node != AT])
        fields: dict[str, Any] = {"kind": kind, "gid": register["gid"], "turn": sync_class}
        fields |= {"x": to[0], "y": to[1], "epoch": register["epoch"] ^ (rng.random() < 0.05)}
        fields["data"] = rng.getrandbits(self.network.data_bits)
        raw = self.network.layout.sync.pack(fields)
        code = to[0] | to[1] << self.network.layout.x_bits
        heard = (fields["gid"], fields["epoch"], code, sync_class, fields["data"])
        return port, Message(raw, int(kind), *heard, 0, 0)

    def fill(self) -> None:
        """Put messages into empty slots of the centre."""
        for sync_class in (0, 1):
            port, message = self.message(sync_class)
            slot, lane = 2 * port + sync_class, (CENTRE, port, sync_class)
            if self.router.slots[slot] is None and self.rng.random() < 0.7:
                self.router.receive(slot, message)
                self.both.model._awake.add(CENTRE)
                self.both.literal.slots[lane] = message.raw

    def request(self) -> ConfigRequest:
        """Return a request for the centre; one that sets a register up more often than not."""
        rng, number = self.rng, self.rng.randrange(len(GIDS))
        register, word = self.unit.registers[number], rng.choice((0, 0, 0, rng.randrange(8)))
        data = NODE_WORD.pack({"x": 2, "y": 1, "present": rng.random() < 0.6})
        if word == 1:
            x, y = rng.choice(((2, 1), (1, 2), (0, 1), (1, 0), (1, 1)))
            data = NODE_WORD.pack({"x": x, "y": y, "present": 1})
        if word == 0:
            fields = {"valid": rng.random() < 0.8, "turn": rng.getrandbits(1), "gid": GIDS[number]}
            fields["root"] = register["nodes"][0][:2] == AT or rng.random() < 0.5
            last = 6 if self.network.operations == "all" else 3
            fields |= {"op": rng.randrange(last), "epoch": rng.randrange(2), "manager": 3}
            data = CONTROL.pack(fields)
        return ConfigRequest(CENTRE, 8 * number + word, rng.random() < 0.8, data)

    def step(self, asks: float) -> None:
        """Advance one clock, with a config request that often."""
        rng, both = self.rng, self.both
        self.fill()
        if rng.random() < 0.02 or self.dead is None:
            self.kill((rng.randrange(4), rng.randrange(2)))
        arrive = {(CENTRE, r): rng.getrandbits(4) for r in range(len(GIDS)) if rng.random() < 0.3}
        arrive = {place: data & (1 << self.network.data_bits) - 1 for place, data in arrive.items()}
        both.step(arrive, config=self.request() if rng.random() < asks else None)

    def kill(self, dead: tuple[int, int]) -> None:
        """Have one lane of the centre without its credit, and the one before with it again."""
        model, literal = self.both.model, self.both.literal
        taken = [self.dead] if self.dead is not None else []
        lanes = {place: model.wiring.lane(CENTRE, place[0], place[1]) for place in (*taken, dead)}
        if self.dead is not None:
            model.credits[lanes[self.dead]] += 1
            model._awake.add(CENTRE)
            literal.credits[CENTRE, *self.dead] += 1
            self.dead = None
        if model.credits[lanes[dead]]:
            model.credits[lanes[dead]] -= 1
            literal.credits[CENTRE, *dead] -= 1
            self.dead = dead


def rng_choice(rng: random.Random, registers: list[dict[str, Any]]) -> dict[str, Any]:
    """Draw a register; those that are valid come twice as often."""
    return rng.choice(registers + [register for register in registers if register["valid"]])


@pytest.mark.parametrize(
    ("operations", "asks"),
    [
        ("bitwise", 0.03),
        pytest.param("all", 0.03, marks=pytest.mark.long),
        pytest.param("bitwise", 0.5, marks=pytest.mark.long),
        ("all", 0.5),
    ],
)
def test_a_node_agrees_on_anything(operations: str, asks: float) -> None:
    network = MeshSpec.model_validate(
        {
            "kind": "mesh", "width": 3, "height": 3, "channels": 0, "barrier_unit": "serial",
            "barrier_registers": len(GIDS), "operations": operations,
            "data_bits": 4 if operations == "all" else 0,
        }
    )  # fmt: skip
    crossing = Crossing(random.Random(f"{operations} {asks}"), network)
    strays = 0
    for cycle in range(420):
        crossing.step(asks)
        if cycle % 60 == 59:
            strays += crossing.unit.counters[Counter.STRAY]
            for node, unit in enumerate(crossing.both.literal.units):
                unit.counters = [0] * 4
                crossing.both.model._routers[node].unit.counters = [0] * 4
    assert crossing.both.released > 20
    assert strays > 50
