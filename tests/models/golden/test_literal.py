"""In every cycle the model agrees with a literal reading of the contract, sections 3 and 4."""

import itertools
import random
from dataclasses import dataclass
from typing import Any

import pytest

from syncfabric.models.golden.mesh import MeshModel
from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import ConfigRequest, Record
from syncfabric.models.messages import CONTROL, Counter
from syncfabric.models.networks.spec import MeshSpec, NetworkSpec
from syncfabric.models.planning.images import config_writes
from syncfabric.models.planning.plan import make_plan
from tests.models.golden.literal_mesh import LiteralMesh, Seen

SMALL = [(1, 2), (2, 1), (2, 2), (3, 2), (1, 5)]
LARGE = [(4, 3), (3, 4), (4, 4), (5, 5)]
OPTIONS = list(itertools.product((0, 1), ("bitwise", "all"), ("shared", "own")))
PLAY, DISTURBED = 150, 80


def random_network(rng: random.Random, size: tuple[int, int], **options: Any) -> NetworkSpec:
    """Make up to as many groups as a node has registers, of any members."""
    registers = rng.randint(2, 4)
    mesh = MeshSpec(
        kind="mesh",
        width=size[0],
        height=size[1],
        data_bits=rng.choice((0, 1, 4, 9)),
        barrier_registers=registers,
        channels=rng.randint(1, 2),
        buffer_flits=rng.randint(1, 8),
        **options,
    )
    operations = ["or", "and", "xor"] + ["max", "min", "sum"] * (mesh.operations == "all")
    groups = [
        {
            "id": gid,
            "members": rng.sample(mesh.mesh.nodes, rng.randint(1, len(mesh.mesh.nodes))),
            "op": rng.choice(operations),
        }
        for gid in rng.sample(range(256), registers)
    ]
    return NetworkSpec.model_validate({"name": "random", "network": mesh, "groups": groups})


def sync_wires(record: Record | None, network: MeshSpec) -> Seen:
    """Return what a record says of synchronization."""
    if record is None:
        return Seen({}, set())
    lanes = network.channels + 2
    payloads = iter(record.payloads)
    wires, credit = {}, set()
    for lane in range((record.valid | record.credit).bit_length()):
        link, channel = divmod(lane, lanes)
        key = (*divmod(link, 5), channel - network.channels)
        if record.valid >> lane & 1:
            payload = next(payloads)
            if key[2] >= 0:
                wires[key] = payload
        if record.credit >> lane & 1 and key[2] >= 0:
            credit.add(key)
    return Seen(wires, credit)


@dataclass
class Race:
    """Model and reference side by side, with the same inputs."""

    model: MeshModel
    literal: LiteralMesh
    released: int = 0

    def total(self, counter: Counter) -> int:
        return sum(unit.counters[counter] for unit in self.literal.units)

    def step(
        self,
        arrive: dict[tuple[int, int], int],
        *,
        start: bool = False,
        config: ConfigRequest | None = None,
        **traffic: Any,
    ) -> None:
        model, literal, now = self.model, self.literal, self.model.cycle
        assert model.release == literal.release, f"cycle {now}"
        assert model.config_answer == literal.answer, f"cycle {now}"
        for node, unit in enumerate(literal.units):
            assert model.observe(node) == unit.observe(), f"cycle {now}, node {node}"
        self.released += len(model.release)
        record = model.step(arrive=arrive, start=start, config=config, **traffic)
        seen = literal.step(arrive, start, config)
        assert sync_wires(record, model.network) == seen, f"cycle {now}"


def arrivals(
    rng: random.Random, places: list[tuple[int, int]], network: MeshSpec, share: float
) -> dict[tuple[int, int], int]:
    """Let each register's process arrive by chance, also where it is refused."""
    width = network.data_bits
    return {place: rng.getrandbits(width) for place in places if rng.random() < share}


def play(rng: random.Random, spec: NetworkSpec) -> Race:
    """Set a network up, let its groups meet, then disturb them."""
    network, plan = spec.network, make_plan(spec)
    assert isinstance(network, MeshSpec)
    model = model_of(network)
    assert isinstance(model, MeshModel)
    both = Race(model, LiteralMesh(network))
    controls, images = [], {}
    for node, address, data in config_writes(plan):
        both.step(
            arrivals(rng, [(node, 0)], network, 0.1),
            config=ConfigRequest(node, address, write=True, data=data),
        )
        images[node, address] = data
        if address % 8 == 0:
            controls.append((node, address))
    both.step({}, load=rng.getrandbits(32))
    both.step({}, start=True)

    # In the last phase control words are written again, some of another epoch or not valid, so
    # that messages go astray, groups hang, and writes meet messages and arrivals.
    places = [(node, address // 8) for node, address in controls]
    share = rng.choice((0.1, 0.3, 0.9))
    for cycle in range(PLAY + DISTURBED):
        if cycle == PLAY:
            assert both.total(Counter.STRAY) == 0
        config, chance = None, rng.random()
        if cycle >= PLAY and chance < 0.3:
            where = rng.choice(controls)
            fields = CONTROL.unpack(images[where])
            fields |= rng.choice(({}, {}, {"epoch": rng.randrange(4)}, {"valid": 0}))
            config = ConfigRequest(*where, write=True, data=CONTROL.pack(fields))
        elif chance < 0.5:
            address = rng.choice((rng.randrange(40), 1024 + rng.randrange(5), 2048))
            node = rng.randrange(len(network.mesh.nodes) + 1)
            writes_control = address % 8 == 0 and address < 1024
            config = ConfigRequest(node, address, rng.random() < 0.5 and not writes_control, 5)
        arrive = arrivals(rng, places, network, share)
        both.step(arrive, config=config, enable=cycle >= 64, rate=1 << 22)
    assert both.total(Counter.OVERFLOW) == 0
    return both


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: "-".join(map(str, option)))
def test_model_agrees_with_the_literal_reading(option: tuple[int, str, str]) -> None:
    rng = random.Random(str(option))
    keys = ("barrier_pipeline", "operations", "sync_links")
    options = dict(zip(keys, option, strict=True))
    sizes = (rng.choice(SMALL), rng.choice(LARGE))
    races = [play(rng, random_network(rng, size, **options)) for size in sizes]
    assert sum(race.released for race in races) > 50
