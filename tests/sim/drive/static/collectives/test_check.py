"""Collectives that cannot be are refused before any work begins."""

import re

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.reader import load
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.operations import Collective, check_collectives
from tests.models.golden.static_bench import Group, cycle, ring, static, tree
from tests.sim.drive.static.planned import plan_of

RING = ring(cycle(2, 2))
TREE = tree({(3, 0): (2, 0), (3, 1): (3, 0)}, (2, 0), [(3, 1)])
ALONE = Group((2, 1), ((2, 1),), {}, 0)
PLAN = plan_of(static(4, 2), RING, TREE, ALONE)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            Collective(1, "reduce"),
            "collective 2: group 1 is a tree, where switches copy flits and cannot combine them; "
            'reduce needs a ring: set planner = "ring"',
        ),
        (Collective(1, "allreduce"), "allreduce needs a ring"),
        (
            Collective(4, "broadcast"),
            "collective 2: group 4 is not on the network; its groups: 0, 1, 2",
        ),
        (Collective(0, "broadcast", 0), "collective 2: flits must be 1 or more, not 0"),
        (Collective(2, "scatter"), "collective 2: group 2 has one member"),
        (
            Collective(0, "gather"),
            "kind must be one of broadcast, scatter, reduce, allreduce, not 'gather'",
        ),
        (Collective(0, "reduce", 1, "avg"), "op must be one of sum, or, and, xor, max, min, not"),
        (Collective(0, "reduce", 1, "sum", -1), "work must be 0 cycles or more, not -1"),
    ],
)
def test_refused(asked: Collective, message: str) -> None:
    sound = Collective(0, "allreduce")
    check_collectives(PLAN, (sound, Collective(1, "scatter")))
    with pytest.raises(SpecError, match=re.escape(message)) as told:
        ScenarioRunner(PLAN, Scenario(collectives=(sound, asked))).run_model()
    assert "\n" not in str(told.value)


def test_networks_of_other_kinds_combine_in_barriers() -> None:
    with pytest.raises(SpecError, match="collectives run on static networks; demo is of another"):
        check_collectives(make_plan(load("demo")), (Collective(1, "reduce"),))
