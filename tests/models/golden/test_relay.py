"""Registers of nodes on the way, whose own process is no member: they pass on and tell nobody."""

from collections.abc import Callable
from typing import Any

import pytest

from syncfabric.models.golden.barrier_register import BarrierRegister
from syncfabric.models.golden.rules import Rules
from syncfabric.models.golden.wiring import Wiring
from syncfabric.models.messages import (
    CONTROL,
    NODE_WORD,
    PARENT_WORD,
    Counter,
    RegisterWord,
    register_address,
)
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import MeshSpec


def register(**options: str) -> BarrierRegister:
    """Return a relay at the centre of a 3x3 mesh with children east and north."""
    network = MeshSpec.model_validate({"kind": "mesh", "width": 3, "height": 3, **options})
    made = BarrierRegister(Rules(network, Wiring(network)), 4)
    made.write(RegisterWord.PARENT, PARENT_WORD.pack({"x": 0, "y": 1, "relay": 1}))
    made.write(RegisterWord.EAST, NODE_WORD.pack({"x": 2, "y": 1, "present": 1}))
    made.write(RegisterWord.NORTH, NODE_WORD.pack({"x": 1, "y": 2, "present": 1}))
    made.write(RegisterWord.CONTROL, CONTROL.pack({"valid": 1, "gid": 7}))
    return made


def test_a_relay_awaits_its_children_alone() -> None:
    made = register()
    assert not made.may_fire()
    made.count_in(Port.EAST, 1)
    assert not made.may_fire()
    made.count_in(Port.NORTH, 2)
    assert made.may_fire()
    made.fired = True
    assert not made.may_fire()
    assert made.finish(3) == {Port.EAST, Port.NORTH}
    assert (made.result, made.done) == (3, False)


def test_a_relay_without_children_never_fires() -> None:
    made = register()
    made.write(RegisterWord.CONTROL, 0)
    for word in (RegisterWord.EAST, RegisterWord.NORTH):
        made.write(word, 0)
    made.write(RegisterWord.CONTROL, CONTROL.pack({"valid": 1, "gid": 7}))
    assert not made.may_fire()


@pytest.mark.parametrize("managed", [False, True])
def test_a_relay_takes_no_arrive(bench: Callable[..., Any], managed: bool) -> None:
    """Counted as refused; and the word reads back with the bit."""
    made = bench(2, 1, setup="manager" if managed else "local")

    def at(word: RegisterWord) -> int:
        return register_address(0, word)

    assert made.request(0, at(RegisterWord.PARENT), PARENT_WORD.pack({"relay": 1})) == 0
    assert made.request(0, at(RegisterWord.PARENT)) == PARENT_WORD.pack({"relay": 1})
    image = {"valid": 1, "root": 1, "gid": 3}
    assert made.request(0, at(RegisterWord.CONTROL), CONTROL.pack(image)) == 0
    unit = made.model._routers[0].unit
    made.model.step(arrive={(0, 0): 0})
    for _ in range(6):
        made.model.step()
    assert unit.counters[Counter.REFUSED_ARRIVE] == 1
