"""The rules of arrival, exhaustively: every candidate, child and state on both routes."""

from itertools import product

import pytest
from amaranth import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.ports import child_class
from syncfabric.rtl.barrier.rules import is_complete, next_arrived, used_reduces
from tests.rtl.support import evaluate


class Rules(wiring.Component):
    """The rules for four messages, all of the classes given."""

    def __init__(self, spec: MeshSpec) -> None:
        self._spec = spec
        super().__init__(
            {
                "candidates": In(4),
                "classes": In(4),
                "present": In(4),
                "arrived": In(4),
                "used": Out(4),
                "after": Out(4),
                "complete": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m, spec = Module(), self._spec
        classes = [Cat(~self.classes[p], self.classes[p]) for p in range(4)]
        candidates = [self.candidates[p] for p in range(4)]
        used = used_reduces(spec, candidates, classes, self.present, self.arrived)
        m.d.comb += [
            self.used.eq(Cat(used)),
            self.after.eq(next_arrived(spec, self.arrived, self.used)),
            self.complete.eq(is_complete(spec, self.arrived, self.present)),
        ]
        return m


def ones(word: int) -> set[int]:
    return {p for p in range(4) if word >> p & 1}


def bits(places: set[int]) -> int:
    return sum(1 << p for p in places)


def test_reverse_route_names_the_child_by_its_port() -> None:
    spec = MeshSpec(kind="mesh", width=3, height=3)
    cases = [
        {"candidates": c, "classes": k, "present": p, "arrived": a}
        for c, k, p, a in product(range(16), (0b0101, 0b1111, 0b0000, 0b1001), range(16), range(16))
    ]
    y_first_from = {Port.EAST, Port.WEST}
    for case, seen in zip(cases, evaluate(Rules(spec), cases), strict=True):
        children, arrived = ones(case["present"]), ones(case["arrived"])
        right = {p for p in range(4) if (p in ones(case["classes"])) == (p in y_first_from)}
        used = ones(case["candidates"]) & (children - arrived) & right
        assert seen == {
            "used": bits(used),
            "after": bits(arrived | used),
            "complete": arrived >= children,
        }, case


def test_paper_route_counts() -> None:
    spec = MeshSpec(kind="mesh", width=3, height=3, reduction_route="paper")
    cases = [
        {"candidates": c, "classes": k, "present": p, "arrived": a}
        for c, k, p in product(range(16), (0b0101, 0b0010), range(16))
        for a in range(p.bit_count() + 1)
    ]
    for case, seen in zip(cases, evaluate(Rules(spec), cases), strict=True):
        children, arrived = case["present"].bit_count(), case["arrived"]
        used = set(sorted(ones(case["candidates"]))[: children - arrived])
        assert seen == {
            "used": bits(used),
            "after": arrived + len(used),
            "complete": arrived == children,
        }, case


@pytest.mark.parametrize(("port", "turn"), [(0, 0), (1, 1), (2, 0), (3, 1)])
def test_children_along_x_are_sent_to_x_first(port: int, turn: int) -> None:
    assert child_class(port) == turn
