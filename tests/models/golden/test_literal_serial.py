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
AROUND = ((2, 1), (1, 2), (0, 1), (1, 0))
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
        self.dead: set[tuple[int, int]] = set()
        self.both.step({}, start=True)
        self.set_up()

    def message(self, sync_class: int) -> tuple[int, Message]:
        """Return a port and a message of a class, often what a register waits for."""
        rng, register = self.rng, rng_choice(self.rng, self.unit.registers)
        kind, to, ports = Kind.REDUCE, AT, (1 - sync_class, 3 - sync_class)
        missing = [
            p for p in ports if register["nodes"][1 + p][2] and not register["arrived"] >> p & 1
        ]
        port = rng.choice(missing or ports)
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

    def word(self, number: int, word: int) -> int:
        """Return what may stand in a word of a register."""
        rng, root = self.rng, self.unit.registers[number]["nodes"][0][:2] == AT
        if word == 0:
            fields = {"valid": 1, "turn": rng.getrandbits(1), "gid": GIDS[number], "manager": 3}
            last = 6 if self.network.operations == "all" else 3
            fields |= {"op": rng.randrange(last), "epoch": rng.randrange(2)}
            return CONTROL.pack(fields | {"root": root or rng.random() < 0.3})
        if word == 1:
            x, y = rng.choice((*AROUND, AT))
            return NODE_WORD.pack({"x": x, "y": y, "present": 1})
        x, y = AROUND[word - 2]
        return NODE_WORD.pack({"x": x, "y": y, "present": rng.random() < 0.5})

    def set_up(self) -> None:
        """Write all registers."""
        for number in range(len(GIDS)):
            for word in (1, 2, 3, 4, 5, 0):
                data = self.word(number, word)
                self.both.step({}, config=ConfigRequest(CENTRE, 8 * number + word, True, data))
        for _ in range(4):
            self.both.step({})

    def request(self) -> ConfigRequest:
        """Return a request for the centre."""
        rng, number = self.rng, self.rng.randrange(len(GIDS))
        word = rng.choice((0, 0, rng.randrange(8)))
        return ConfigRequest(
            CENTRE, 8 * number + word, rng.random() < 0.7, self.word(number, min(word, 5))
        )

    def step(self, asks: float) -> None:
        """Advance one clock, with a config request that often."""
        rng, both = self.rng, self.both
        self.fill()
        if rng.random() < 0.05:
            alive = not self.dead or rng.random() < 0.4
            ends = (rng.randrange(4), rng.randrange(2))
            self.kill(ends if alive else rng.choice(sorted(self.dead)))
        arrive = {(CENTRE, r): rng.getrandbits(4) for r in range(len(GIDS)) if rng.random() < 0.3}
        arrive = {place: data & (1 << self.network.data_bits) - 1 for place, data in arrive.items()}
        both.step(arrive, config=self.request() if rng.random() < asks else None)

    def kill(self, lane: tuple[int, int]) -> None:
        """Have a lane of the centre without its credit, or with it again."""
        model, literal = self.both.model, self.both.literal
        there = model.wiring.lane(CENTRE, *lane)
        if lane in self.dead:
            self.dead.remove(lane)
            model.credits[there] += 1
            model._awake.add(CENTRE)
            literal.credits[CENTRE, *lane] += 1
        elif model.credits[there]:
            self.dead.add(lane)
            model.credits[there] -= 1
            literal.credits[CENTRE, *lane] -= 1


def rng_choice(rng: random.Random, registers: list[dict[str, Any]]) -> dict[str, Any]:
    """Draw a register; those that are valid come twice as often."""
    return rng.choice(registers + [register for register in registers if register["valid"]])


@pytest.mark.parametrize(
    ("operations", "asks"),
    [
        ("all", 0.03),
        pytest.param("bitwise", 0.03, marks=pytest.mark.long),
        pytest.param("bitwise", 0.2, marks=pytest.mark.long),
        pytest.param("all", 0.2, marks=pytest.mark.long),
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
    releases = strays = turns = both = 0
    for seed in range(4):
        crossing = Crossing(random.Random(f"{operations} {asks} {seed}"), network)
        for _ in range(250):
            crossing.step(asks)
            turns += crossing.unit.stays > 0
            both += any(register["up"] and register["down"] for register in crossing.unit.registers)
        releases += crossing.both.released
        strays += crossing.unit.counters[Counter.STRAY]
    assert releases > 25
    assert strays > 60
    assert turns > 20
    assert both > 0 or asks > 0.1
