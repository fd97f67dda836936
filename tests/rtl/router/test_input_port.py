"""The control of a buffer, with a memory around it, against a queue of flits."""

import random
from collections import deque
from typing import NamedTuple

import pytest

from syncfabric.rtl.router.input_port import ChannelControl
from tests.rtl.support import SEED, clocked

OUTPUTS = (0, 1, 3, 4)
"""Of five: packets that come from the WEST go to EAST, NORTH, SOUTH or end here."""


class Flit(NamedTuple):
    number: int
    output: int
    head: bool
    tail: bool


@pytest.mark.parametrize("places", [1, 3, 8])
def test_flits_leave_as_they_came(places: int) -> None:
    """Fills and drains at any rate; what comes for a full buffer is dropped and sent again."""
    rng, buffer, to_send = random.Random(f"{SEED}/{places}"), deque[Flit](), deque[Flit]()
    cases, expected, fronts, comes = [], [], [], []
    begun = popped = False
    sent, hurry, levels = 0, 0.5, set()
    for cycle in range(1500):
        if cycle % 50 == 0:
            hurry = rng.choice([0.1, 0.5, 0.9])
        if not to_send:
            length, output = rng.randint(1, 5), rng.choice(OUTPUTS)
            to_send += [Flit(sent + i, output, i == 0, i == length - 1) for i in range(length)]
        push, pop = rng.random() < 1 - hurry, bool(buffer) and rng.random() < hurry
        flit, full = to_send[0], len(buffer) == places
        route = 1 << flit.output if push and flit.head else rng.getrandbits(5)
        tail = flit.tail if push else rng.getrandbits(1)
        cases.append({"push": push, "push_tail": tail, "push_route": route, "pop": pop})
        wanted = {"occupied": bool(buffer), "active": begun, "credit": popped}
        wanted["overflow"] = push and full
        front = {"route": 1 << buffer[0].output, "tail": buffer[0].tail} if buffer else {}
        expected.append(wanted | front)
        fronts.append(buffer[0] if buffer else None)
        comes.append(flit if push and not full else None)
        if push and not full:
            buffer.append(to_send.popleft())
            sent += 1
        if pop:
            begun = not buffer.popleft().tail
        popped = pop
        levels.add(len(buffer))
    memory: dict[int, Flit | None] = {}
    rows = zip(clocked(ChannelControl(places, OUTPUTS, 5), cases), expected, strict=True)
    for cycle, (seen, named) in enumerate(rows):
        assert {name: seen[name] for name in named} == named, (cycle, cases[cycle])
        assert max(seen["write_place"], seen["read_place"]) < places
        if fronts[cycle]:
            assert memory[seen["read_place"]] == fronts[cycle], cycle
        if comes[cycle]:
            memory[seen["write_place"]] = comes[cycle]
    assert {0, places} <= levels
    assert any(named["overflow"] for named in expected)


@pytest.mark.parametrize("places", range(1, 17))
def test_every_place_is_used(places: int) -> None:
    """So many flits find room, one more does not; then they leave, and their credits come."""
    pushes, pops = [{"push": 1, "pop": 0}] * (places + 1), [{"push": 0, "pop": 1}] * places
    seen = clocked(ChannelControl(places, (0, 4), 5), [*pushes, *pops, {"pop": 0}, {}])
    assert [cycle["overflow"] for cycle in seen] == [*[0] * places, 1, *[0] * (places + 2)]
    assert [cycle["write_place"] for cycle in seen[:places]] == [*range(places)]
    assert [cycle["read_place"] for cycle in seen[places + 1 : -2]] == [*range(places)]
    assert [cycle["occupied"] for cycle in seen] == [0, *[1] * (2 * places), 0, 0]
    assert sum(cycle["credit"] for cycle in seen) == places
