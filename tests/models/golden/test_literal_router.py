"""A router of the model agrees with the literal one on whatever stands in its slots."""

import random

import pytest

from syncfabric.models.golden.mesh import ConfigRequest, MeshModel
from syncfabric.models.golden.record import Message
from syncfabric.models.messages import CONTROL, NODE_WORD, Kind, register_address
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import MeshSpec
from tests.models.golden.literal_mesh import LiteralMesh
from tests.models.golden.literal_unit import onward, route
from tests.models.golden.test_literal import Race

CENTRE, GIDS = 4, (3, 77, 200)
CYCLES, DEAD = 300, range(60, 200)
"""The link to the north returns no credit of class 1 in some of the cycles, which only the last
group's process sees to their end."""


def words(turn: int) -> list[tuple[int, int]]:
    """Return what is written to the centre's registers: roots, the last without child in north."""
    written = []
    for number, gid in enumerate(GIDS):
        for word, (x, y) in enumerate(((2, 1), (1, 2), (0, 1), (1, 0)), 2):
            present = (x, y) != (1, 2) or gid != GIDS[-1]
            data = NODE_WORD.pack({"x": x, "y": y, "present": present})
            written.append((register_address(number, word), data))
        control = CONTROL.pack({"valid": 1, "root": 1, "gid": gid, "turn": turn})
        written.append((register_address(number, 0), control))
    return written


def some_message(rng: random.Random, network: MeshSpec, slot: int) -> Message:
    """Return a message that ends in the centre, or leaves it by a way that stays in the mesh."""
    port, sync_class = divmod(slot, 2)
    ways = [
        node
        for node in network.mesh.nodes
        if node != (1, 1)
        and onward((1, 1), node, sync_class, port) == route((1, 1), node, sync_class)
    ]
    here = rng.random() < 0.5
    x, y = (1, 1) if here else rng.choice(ways)
    gid, data = rng.choice((*GIDS, 9)), rng.getrandbits(network.data_bits)
    fields = {"kind": Kind.REDUCE, "gid": gid, "epoch": 0, "x": x, "y": y, "data": data}
    raw = network.layout.sync.pack({**fields, "turn": sync_class})
    code = x | y << network.layout.x_bits
    return Message(raw, int(Kind.REDUCE), gid, 0, code, sync_class, data, 0, 0)


@pytest.mark.parametrize("pipeline", [0, 1])
def test_a_router_takes_and_passes_on_what_the_literal_one_does(pipeline: int) -> None:
    """All slots of the centre are filled again and again.

    What it passes on comes to nobody, so its neighbours send it nothing.
    """
    rng = random.Random(pipeline)
    network = MeshSpec(
        kind="mesh",
        width=3,
        height=3,
        channels=0,
        operations="all",
        barrier_pipeline=pipeline,
        barrier_registers=len(GIDS),
    )
    both = Race(MeshModel(network), LiteralMesh(network))
    for address, data in words(rng.getrandbits(1)):
        both.step({}, start=True, config=ConfigRequest(CENTRE, address, write=True, data=data))
    slots = both.model._routers[CENTRE].slots
    north = both.model.wiring.lane(CENTRE, Port.NORTH, 1)
    used, shown_twice, full_turns = 0, 0, 0
    for cycle in range(CYCLES):
        if cycle in (*DEAD, DEAD.stop):
            credit = int(cycle == DEAD.stop)
            both.model.credits[north] = both.literal.credits[CENTRE, Port.NORTH, 1] = credit
        for slot in range(8):
            lane = (CENTRE, slot >> 1, slot & 1)
            assert (slots[slot] is None) == (both.literal.slots[lane] is None)
            if slots[slot] is None and rng.random() < 0.6:
                message = some_message(rng, network, slot)
                both.model._routers[CENTRE].receive(slot, message)
                both.model._awake.add(CENTRE)
                both.literal.slots[lane] = message.raw
        here = [slot for slot in range(8) if both.model._routers[CENTRE].lane[slot] < 0]
        shown_twice += any(slot ^ 1 in here and slots[slot] and slots[slot ^ 1] for slot in here)
        first = len(GIDS) - 1 if cycle in DEAD[40:] else 0
        arrive = {(CENTRE, r): 1 for r in range(first, len(GIDS)) if rng.random() < 0.3}
        both.step(arrive)
        used += len(both.model.release)
        full_turns += both.literal.units[CENTRE].stays == 14
    assert used > 20
    assert shown_twice > CYCLES / 8
    assert full_turns >= 4
