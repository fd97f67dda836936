"""The slots of the exhaustive model do what the golden model does."""

import random

import numpy as np
import pytest

from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages.wires import WIRE_STATUS
from syncfabric.models.networks.wires import WirePlane
from syncfabric.models.wires.rules import Rules
from syncfabric.models.wires.slots import Slots
from syncfabric.models.wires.tree import Tree
from tests.models.golden.wire_nets import wired_mesh

EAST, NORTH, WEST, SOUTH = range(4)
PLACES = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
SIDES = {(1, 0): EAST, (0, 1): NORTH, (-1, 0): WEST, (0, -1): SOUTH}


def side(unit: int, other: int) -> int:
    (x, y), (u, v) = PLACES[unit], PLACES[other]
    return SIDES[u - x, v - y]


@pytest.mark.parametrize("parity", [False, True])
@pytest.mark.parametrize("registers", range(4))
@pytest.mark.parametrize("seed", range(4))
def test_states_agree_in_every_cycle(seed: int, registers: int, parity: bool) -> None:
    """On a 3x2 mesh, one slot, with set-up and clearing at any time."""
    rng = random.Random(seed)
    parents = rng.choice([(0, 0, 1, 0, 1, 2), (0, 0, 1, 0, 3, 4), (3, 4, 1, 3, 3, 4)])
    root = next(unit for unit, parent in enumerate(parents) if parent == unit)
    leaves = sum(1 << unit for unit in range(6) if unit not in parents)
    tree = Tree(parents, leaves | rng.getrandbits(6))
    slots = Slots([tree], registers, Rules(parity=parity))
    state = slots.start(1)
    plane = WirePlane(1, 0, registers, shared=rng.random() < 0.5, parity=parity)
    model = model_of(wired_mesh(3, 2, plane))
    for unit, parent in enumerate(parents):
        ports = [side(unit, kid) for kid in range(6) if tree.kids[unit] >> kid & 1]
        children = sum(1 << port for port in ports) | (tree.members >> unit & 1) << 4
        word = children << 4 | (0 if unit == root else side(unit, parent))
        model.step(config=ConfigRequest(unit, 1, True, word))
    share, released = rng.choice((0.1, 0.6)), 0
    for _ in range(500):
        statuses = [WIRE_STATUS.unpack(model.observe(unit)) for unit in range(6)]
        for name in ("la", "up", "dn", "fault"):
            told = sum(status[name] << unit for unit, status in enumerate(statuses))
            assert told == getattr(state, name)[0], name
        ready = [unit for unit in range(6) if model.ready(unit, 0) and not statuses[unit]["la"]]
        arrive = [unit for unit in ready if rng.random() < share]
        opens = clears = 0
        config = None
        if rng.random() < 0.15:
            unit = rng.randrange(6)
            valid = state.valid[0] >> unit & 1
            if not valid:
                opens = 1 << unit
                config = ConfigRequest(unit, 0, True, 1 | (unit == root) << 1)
            elif rng.random() < 0.2:
                clears = 1 << unit
                config = ConfigRequest(unit, 4, True, 2)
        model.step(arrive={(unit, 0): 0 for unit in arrive}, config=config)
        words = [sum(1 << unit for unit in arrive), opens, clears]
        arrives, opened, cleared = (np.array([word], np.uint16) for word in words)
        change = slots.step(state, arrives, opened, cleared)
        state = change.state
        told = sum(1 << unit for unit, _, _ in model.release if not model.broken(unit, 0))
        assert told == change.released[0]
        released += told != 0
    assert released
