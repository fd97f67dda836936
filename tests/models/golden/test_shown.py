"""A message for this node holds up no flit that came by its input (section 3)."""

from collections.abc import Callable
from typing import Any

import pytest

from syncfabric.models.messages import Counter, register_address
from syncfabric.models.networks.mesh import Port, Turn
from syncfabric.models.planning.tree import Register
from tests.models.golden.conftest import image

CYCLES = 60


def passed_on(make: Callable[..., Any], arrive: int | None) -> tuple[list[int], int]:
    """Let two packets share a link; return the flits on it by cycle, and the messages taken.

    Both go from node 1 to node 2, one of them comes from node 0, from where a message to node 1
    follows: the process of its group's one member arrives in a cycle. Node 1 knows no such group,
    and counts it.
    """
    made = make(3, 1, channels=2, buffer_flits=8)
    model, layout = made.model, made.model.network.layout
    leaf = Register(7, (0, 0), (1, 0), Turn.Y_FIRST, (None, None, None, None))
    for word, data in image(leaf).items():
        assert made.request(0, register_address(0, word), data) == 0
    header = layout.header.pack({"x": 2, "y": 0})
    for node in range(2):
        model.put(node, [header, *range(1, 20)], channel=node)
    link, flits = 5 + Port.EAST, []
    lanes = model.wiring.lanes
    for cycle in range(CYCLES):
        record = model.step(arrive={(0, 0): 0} if cycle == arrive else {})
        flits.append(0 if record is None else record.valid >> link * lanes & (1 << lanes) - 1)
    return flits, model._routers[1].unit.counters[Counter.STRAY]


@pytest.mark.parametrize("arrive", range(8, 12))
def test_flits_of_its_input_go_on(bench: Callable[..., Any], arrive: int) -> None:
    flits, strays = passed_on(bench, None)
    assert (sum(map(bool, flits)), strays) == (40, 0)
    assert passed_on(bench, arrive) == (flits, 1)
