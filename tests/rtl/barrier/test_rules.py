"""The rules of arrival, exhaustively: every candidate, child and state."""

from itertools import product

import pytest
from amaranth import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.mesh import Port
from syncfabric.rtl.barrier.ports import child_class
from syncfabric.rtl.barrier.rules import is_complete, used_reduces
from tests.rtl.support import evaluate


class Rules(wiring.Component):
    """The rules for four messages, all of the classes given."""

    def __init__(self) -> None:
        super().__init__(
            {
                "candidates": In(4),
                "classes": In(4),
                "present": In(4),
                "arrived": In(4),
                "used": Out(4),
                "complete": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        classes = [Cat(~self.classes[p], self.classes[p]) for p in range(4)]
        candidates = [self.candidates[p] for p in range(4)]
        used = used_reduces(candidates, classes, self.present, self.arrived)
        m.d.comb += [
            self.used.eq(Cat(used)),
            self.complete.eq(is_complete(self.arrived, self.present)),
        ]
        return m


def ones(word: int) -> set[int]:
    return {p for p in range(4) if word >> p & 1}


def bits(places: set[int]) -> int:
    return sum(1 << p for p in places)


def test_a_port_names_the_child() -> None:
    cases = [
        {"candidates": c, "classes": k, "present": p, "arrived": a}
        for c, k, p, a in product(range(16), (0b0101, 0b1111, 0b0000, 0b1001), range(16), range(16))
    ]
    y_first_from = {Port.EAST, Port.WEST}
    for case, seen in zip(cases, evaluate(Rules(), cases), strict=True):
        children, arrived = ones(case["present"]), ones(case["arrived"])
        right = {p for p in range(4) if (p in ones(case["classes"])) == (p in y_first_from)}
        used = ones(case["candidates"]) & (children - arrived) & right
        assert seen == {
            "used": bits(used),
            "complete": arrived >= children,
        }, case


@pytest.mark.parametrize(("port", "turn"), [(0, 0), (1, 1), (2, 0), (3, 1)])
def test_children_along_x_are_sent_to_x_first(port: int, turn: int) -> None:
    assert child_class(port) == turn
