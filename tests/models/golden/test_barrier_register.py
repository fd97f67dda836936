"""One register: which messages it uses, when it fires, and what it says of itself."""

import pytest

from syncfabric.models.golden.barrier_register import PARENT, BarrierRegister
from syncfabric.models.golden.record import Message
from syncfabric.models.golden.rules import Rules
from syncfabric.models.golden.wiring import Wiring
from syncfabric.models.messages import CONTROL, NODE_WORD, STATUS, Kind, Op, RegisterWord
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import MeshSpec

X_FIRST, Y_FIRST = 0, 1
CENTRE = 4


def register(
    root: bool = False, turn: int = X_FIRST, op: Op = Op.OR, **options: str
) -> BarrierRegister:
    """Return the centre of a 3x3 mesh: children east (2, 2) and north (0, 2), parent (0, 0)."""
    network = MeshSpec.model_validate({"kind": "mesh", "width": 3, "height": 3, **options})
    made = BarrierRegister(Rules(network, Wiring(network)), CENTRE)
    east, north = {"x": 2, "y": 2, "present": 1}, {"x": 0, "y": 2, "present": 1}
    made.write(RegisterWord.PARENT, NODE_WORD.pack({"present": 1}))
    made.write(RegisterWord.EAST, NODE_WORD.pack(east))
    made.write(RegisterWord.NORTH, NODE_WORD.pack(north))
    control = {"valid": 1, "root": root, "turn": turn, "op": op, "epoch": 2, "gid": 77}
    made.write(RegisterWord.CONTROL, CONTROL.pack(control))
    return made


def message(kind: Kind, turn: int, *, epoch: int = 2, data: int = 0) -> Message:
    return Message(0, kind, 77, epoch, 0, turn, data, 0, 0)


@pytest.mark.parametrize(
    ("port", "turn", "epoch", "used"),
    [
        (Port.EAST, Y_FIRST, 2, True),
        (Port.EAST, X_FIRST, 2, False),
        (Port.EAST, Y_FIRST, 1, False),
        (Port.NORTH, X_FIRST, 2, True),
        (Port.NORTH, Y_FIRST, 2, False),
        (Port.WEST, Y_FIRST, 2, False),
    ],
)
def test_a_reduce_comes_back_by_its_childs_port(
    port: Port, turn: int, epoch: int, used: bool
) -> None:
    made = register()
    assert made.uses(message(Kind.REDUCE, turn, epoch=epoch), port, False) is used
    if used:
        made.count_in(port, 5)
        assert not made.uses(message(Kind.REDUCE, turn), port, False)


def test_a_distribute_is_used_after_firing_and_by_the_parents_way() -> None:
    made = register(turn=X_FIRST)
    down = message(Kind.DISTRIBUTE, Y_FIRST)
    assert not made.uses(down, Port.WEST, False)
    made.fired = True
    assert made.uses(down, Port.WEST, False)
    assert not made.uses(down, Port.WEST, True)
    assert not made.uses(down, Port.SOUTH, False)
    assert not made.uses(message(Kind.DISTRIBUTE, X_FIRST), Port.WEST, False)
    made = register(turn=Y_FIRST)
    made.fired = True
    assert made.uses(message(Kind.DISTRIBUTE, X_FIRST), Port.SOUTH, False)
    made = register(root=True)
    made.fired = True
    assert not made.uses(down, Port.WEST, False)


@pytest.mark.parametrize("kind", [Kind.GO, Kind.BROKEN])
def test_other_kinds_are_strays(kind: Kind) -> None:
    made = register()
    made.fired = True
    assert not made.uses(message(kind, Y_FIRST), Port.WEST, False)


def test_an_episode() -> None:
    made = register(op=Op.AND)
    assert made.acc == 15
    made.count_in(Port.EAST, 13)
    made.local = True
    made.merge(7)
    assert not made.may_fire()
    made.count_in(Port.NORTH, 14)
    assert made.may_fire()
    assert made.acc == made.data_for(PARENT) == 4
    made.fired = True
    made.pending = {PARENT}
    expected = {"arrived": 0b11, "local": 1, "fired": 1, "pending": 0b10000}
    assert made.status() == STATUS.pack(expected)
    assert made.is_busy()
    made.pending.clear()
    made.finish(6)
    assert (made.result, made.acc, made.done, made.status()) == (6, 15, True, 0)
    assert made.data_for(Port.EAST) == 6
    assert not made.is_busy()


def test_letters() -> None:
    made = register(turn=Y_FIRST)
    layout, wiring = made.rules.layout, made.rules.wiring
    parent, east, north = made.letters[PARENT], made.letters[0], made.letters[1]
    assert parent is not None
    assert east is not None
    assert north is not None
    assert (parent.port, parent.lane) == (Port.SOUTH, wiring.lane(CENTRE, Port.SOUTH, 2))
    assert layout.sync.unpack(parent.raw) == {
        "kind": Kind.REDUCE, "gid": 77, "epoch": 2, "x": 0, "y": 0, "turn": 1, "data": 0,
    }  # fmt: skip
    assert (east.port, east.turn, east.code) == (Port.EAST, X_FIRST, wiring.code(2, 2))
    assert (north.port, north.turn, north.code) == (Port.NORTH, Y_FIRST, wiring.code(0, 2))
    assert layout.sync.unpack(north.raw)["kind"] == Kind.DISTRIBUTE


@pytest.mark.parametrize(
    ("op", "result", "identity"),
    [(Op.OR, 14, 0), (Op.AND, 8, 15), (Op.XOR, 6, 0), (Op.MAX, 12, 0), (Op.MIN, 10, 15),
     (Op.SUM, 6, 0)],
)  # fmt: skip
def test_operations(op: Op, result: int, identity: int) -> None:
    rules = register(operations="all").rules
    assert rules.combine(op, 12, 10) == result
    assert rules.identity(op) == identity == op.identity(4)
    assert rules.combine(op, identity, 9) == 9
