"""What proves a bound: arguments that are right, and those that are wrong or changed."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.certificate import (
    Bound,
    Cut,
    Distance,
    Farthest,
    Growth,
    Load,
    PortCount,
    Relays,
    Solver,
    Start,
    verify,
)
from syncfabric.models.collectives.task import Task
from tests.models.collectives.tasks import STRICT, task

OCTAGON = task("octagon-8", "AAS")
OAB = task("octagon-8", "OAB")
AAB = task("mesh-4x4", "AAB", STRICT)


@pytest.mark.parametrize(
    ("one", "said", "reason"),
    [
        (OCTAGON, PortCount(0, "in", 7, 2), "it counts 2 where there are 3"),
        (OCTAGON, PortCount(0, "out", 8, 3), "it counts 8 where there are 7"),
        (OCTAGON, PortCount(9, "out", 8, 3), "9 is not in the topology"),
        (OAB, PortCount(0, "out", 7, 3), "a node need not inject what others can pass on"),
        (OCTAGON, Cut((0, 1), ((0, 7), (0, 4), (1, 2)), 12, True), "not the channels out of"),
        (OCTAGON, Cut((0, 1), ((0, 7), (0, 4), (1, 2), (1, 5)), 13, True), "it counts 13 where"),
        (OCTAGON, Distance(89, 24), "it counts 89 where there are 88"),
        (OCTAGON, Distance(88, 23), "it counts 23 where there are 24"),
        (OAB, Distance(7, 24), "a broadcast need not go the whole path"),
        (OCTAGON, Load(((0, 1, -1),), 0, True), "a weight is negative, or of no channel"),
        (OCTAGON, Load(((0, 2, 1),), 0, True), "a weight is negative, or of no channel"),
        (OCTAGON, Load(((0, 1, 1),), 4, True), "it counts 4 where there are"),
        (replace(OCTAGON, extra=1), Load(((0, 1, 1),), 2, True), "longer ones may be taken"),
        (OCTAGON, Growth(0, (1, 4), 8), "it is about a sender of a broadcast"),
        (OAB, Growth(0, (1, 4), 8), "at most (1, 4, 8) are informed"),
        (OCTAGON, Farthest(0, 2, 2), "only store and forward on direct networks"),
        (AAB, Farthest(0, 15, 7), "it counts 7 where there are 6"),
        (AAB, Farthest(0, 0, 0), "there is no such message"),
        (AAB, Start((0,), (), 15, 1, 1), "these are not the channels into the set"),
        (AAB, Start((0,), ((1, 0), (4, 0)), 15, 0, 1), "it counts 0 where there are 1"),
        (AAB, Relays((5, 6), 1, 2), "it counts 1 where there are"),
        (AAB, Relays((0,), 2, 2), "it counts 2 where there are 1"),
        (AAB, Relays((16,), 2, 1), "16 is not in the topology"),
        (OCTAGON, Relays((0,), 0, 3), "it is about broadcasts hop by hop"),
        (OAB, Relays((0,), 3, 3), "it is about broadcasts hop by hop"),
        (OCTAGON, Solver("x", "y"), "cannot be checked without the solver"),
    ],
)
def test_a_wrong_argument_is_refused(one: Task, said: Any, reason: str) -> None:
    found = verify(one, Bound(1, said))
    assert found is not None
    assert reason in found


FOUND = {
    one: [bound for bound in lower_bounds(one) if bound.proves]
    for one in (OCTAGON, OAB, AAB, task("mesh-4x4", "OAS", senders=[1]))
}


@settings(deadline=None)
@given(st.sampled_from(list(FOUND)), st.data())
def test_a_changed_number_is_found(one: Task, data: st.DataObject) -> None:
    """Whatever number of an argument is raised or lowered, it no longer proves the bound."""
    bound = data.draw(st.sampled_from(FOUND[one]))
    values = bound.to_json()
    numbers = [
        key
        for key, value in values["argument"].items()
        if type(value) is int and key not in ("node", "origin", "source", "destination")
    ]
    if not numbers:
        return
    values["argument"][data.draw(st.sampled_from(numbers))] += data.draw(st.sampled_from([-1, 1]))
    assert verify(one, TypeAdapter(Bound).validate_python(values)) is not None
