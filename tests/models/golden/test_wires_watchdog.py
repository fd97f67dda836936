"""A process waits H to 2 H cycles at most, and what comes in the last of them still counts."""

from itertools import product

import pytest

from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import COUNTER_BASE, Counter
from syncfabric.models.networks.wires import WirePlane
from tests.models.golden.wire_nets import wired_mesh

H = 10
EAST, WEST, PROCESS = 1, 4, 16


def pair(registers: int) -> GoldenModel:
    """Return a group of two, its root node 0, set up before cycle 4 H."""
    plane = WirePlane(1, 0, registers, watchdog=H)
    model = model_of(wired_mesh(2, 1, plane))
    for node, children, root in ((0, EAST | PROCESS, 1), (1, PROCESS, 0)):
        link = 0 if root else WEST.bit_length() - 1
        model.step(config=ConfigRequest(node, 1, True, children << 4 | link))
        model.step(config=ConfigRequest(node, 0, True, 1 | root << 1))
    while model.cycle < 4 * H:
        model.step()
    return model


@pytest.mark.parametrize("registers", [0, 2])
def test_the_last_cycle_is_that_of_the_second_look(registers: int) -> None:
    tripped = 0
    for begin, later in product(range(H), range(2 * H + 3)):
        model = pair(registers)
        first, second = 4 * H + begin, 4 * H + begin + later
        released = {}
        while model.cycle < 9 * H:
            for node, _, _ in model.release:
                assert node not in released
                released[node] = model.cycle, model.broken(node, 0)
            arrive = {(1, 0): 0} if model.cycle == first else {}
            if model.cycle == second:
                arrive[0, 0] = 0
            model.step(arrive=arrive)
        # It has arrived from the next cycle on; looks are in H - 1, 2 H - 1, ...
        trip = (first + 1) // H * H + H - 1 + H
        fires = max(second + 1, first + 2 + registers)
        down_in = fires + 1 + registers
        # A level that has fallen in the meantime no longer reaches the root.
        if down_in <= trip:
            assert released == {0: (fires + 1, False), 1: (down_in + 1, False)}
            assert model.ready(1, 0)
        else:
            assert released[1] == (trip + 1, True)
            assert H <= released[1][0] - first - 1 <= 2 * H
            tripped += 1
    assert tripped


def test_a_trip_is_counted_and_lasts() -> None:
    model = pair(0)
    model.step(arrive={(1, 0): 0})
    while model.cycle < 7 * H:
        model.step()
    assert not model.ready(1, 0)
    model.step(config=ConfigRequest(1, COUNTER_BASE + Counter.STRAY, False))
    assert model.config_answer == (True, False, 1)
    model.step(config=ConfigRequest(1, 0, True, 0))
    model.step(config=ConfigRequest(1, 0, True, 1))
    assert model.ready(1, 0)
