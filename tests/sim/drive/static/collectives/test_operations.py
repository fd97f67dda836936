"""Collectives on random rings and trees, by the golden model and the rules."""

import pickle
import random
import re

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.reader import load, loads
from syncfabric.models.planning.plan import make_plan
from syncfabric.models.timing.static import broadcast_cycles, ring_bound
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Job, Scenario
from syncfabric.sim.drive.static.operations import KINDS, OPERATIONS, Collective, check_collectives
from tests.models.golden.static_bench import Group, cycle, ring, static, tree
from tests.sim.drive.static.collectives.runs import check, random_run
from tests.sim.drive.static.planned import plan_of


def check_random(seed: int) -> None:
    rng = random.Random(seed)
    buffers = rng.randint(1, 4), rng.randint(1, 4), rng.randint(1, 4)
    spec = static(rng.randint(2, 5), rng.randint(2, 5), buffers)
    plan, scenario = random_run(rng, spec)
    check(plan, scenario, ScenarioRunner(plan, scenario).run_model())


@pytest.mark.parametrize("seed", range(40))
def test_random_groups(seed: int) -> None:
    check_random(seed)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(1000, 3000))
def test_many_random_groups(seed: int) -> None:
    check_random(seed)


@pytest.mark.parametrize("op", OPERATIONS)
@pytest.mark.parametrize("flit_bits", [1, 3])
def test_every_operation_streams(op: str, flit_bits: int) -> None:
    """Words of 24 bits by flits of one bit and three, back to back."""
    spec = static(3, 2).model_copy(update={"flit_bits": flit_bits})
    asked = tuple(Collective(0, kind, 24 // flit_bits, op) for kind in ("reduce", "allreduce"))
    scenario = Scenario(episodes=8, policy="back_to_back", collectives=asked)
    plan = plan_of(spec, ring(cycle(3, 2)))
    check(plan, scenario, ScenarioRunner(plan, scenario).run_model())


def test_barriers_go_on_while_routes_are_loaded() -> None:
    """A group turns from its ring to a token's and back, twice; the other does not mind."""
    spec = static(4, 4)
    plan = plan_of(spec, ring(cycle(2, 4)), ring(cycle(2, 4, 2)))
    asked = tuple(Collective(0, kind, 3) for kind in ("broadcast", "reduce") * 2)
    scenario = Scenario(episodes=2, policy="back_to_back", collectives=asked)
    outcome = ScenarioRunner(plan, scenario).run_model()
    check(plan, scenario, outcome)
    chain = -(-25 * 16 // 32) * 33  # cycles to shift the routes in: three times
    bound = ring_bound(8, spec)
    assert len(outcome.groups[1].latency) > 3 * chain // bound
    assert max(outcome.groups[1].latency) <= bound


def test_a_late_member_holds_a_stream_and_loses_nothing() -> None:
    """Every word is longer than all the buffers on the path."""
    plan = plan_of(static(3, 2, (1, 1, 1)), ring(cycle(3, 2)))
    asked = tuple(Collective(0, kind, 40) for kind in KINDS)
    scenario = Scenario(episodes=6, policy="late", jitter=300, collectives=asked)
    check(plan, scenario, ScenarioRunner(plan, scenario).run_model())


def test_the_root_of_a_tree_streams_broadcasts() -> None:
    """Back to back it waits for no member: a flit a cycle, however far the members are."""
    group = tree({(1, 0): (0, 0), (2, 0): (1, 0), (3, 0): (2, 0)}, (0, 0), [(3, 0), (1, 0)])
    spec = static(4, 2)
    scenario = Scenario(
        episodes=50, policy="back_to_back", collectives=(Collective(0, "broadcast", 4),)
    )
    plan = plan_of(spec, group)
    one = Scenario(episodes=1, policy="together", collectives=scenario.collectives)
    many, alone = ScenarioRunner(plan, scenario).run_model(), ScenarioRunner(plan, one).run_model()
    check(plan, scenario, many)
    assert alone.collectives[0].cycles == [broadcast_cycles(3, 4, spec)]
    assert many.cycles - alone.cycles == 49 * 4


def test_groups_of_a_network_file() -> None:
    """Rings and trees as they are planned: they pass switches of others, and some twice."""
    text = """
name = "three"
[network]
kind = "static"
width = 5
height = 4
[[group]]
id = 3
members = [[0, 0], [4, 3], [2, 2], [1, 3]]
planner = "ring"
[[group]]
id = 7
members = [[1, 0], [3, 1], [0, 2]]
planner = "ring"
[[group]]
id = 9
members = [[2, 0], [4, 0], [3, 3], [0, 3]]
planner = "tree"
"""
    plan = make_plan(loads(text))
    asked = (
        *(Collective(3, kind, 5, "max", 1) for kind in KINDS),
        *(Collective(7, kind, 5) for kind in reversed(KINDS)),
        Collective(9, "scatter", 4),
    )
    scenario = Scenario(episodes=3, policy="mixed", collectives=asked)
    job = pickle.loads(pickle.dumps(Job(((plan, scenario),))))
    assert job.runs[0][1] == scenario
    outcome = ScenarioRunner(*job.runs[0]).run_model()
    check(plan, scenario, outcome)
    assert pickle.loads(pickle.dumps(outcome)) == outcome


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
    with pytest.raises(SpecError, match=re.escape(message)) as refused:
        ScenarioRunner(PLAN, Scenario(collectives=(sound, asked))).run_model()
    assert "\n" not in str(refused.value)


def test_networks_of_other_kinds_combine_in_barriers() -> None:
    with pytest.raises(SpecError, match="collectives run on static networks; demo is of another"):
        check_collectives(make_plan(load("demo")), (Collective(1, "reduce"),))
