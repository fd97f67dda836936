"""BTIN beside multicast and unicast: the same switches, and links counted on the map."""

import pytest

from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.plan import BarrierPlan, IrregularGroupPlan
from syncfabric.models.planning.updown import routing_tables
from syncfabric.sim.drive.scenario import Job, Outcome, Scenario, SchemeOutcome
from syncfabric.sim.drive.simulate import run_model
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.fabric import build_fabric
from tests.sim.drive.clusters import SMALL, drawn
from tests.sim.drive.networks import irregular, members, plan_of

MESH_OF_SWITCHES = drawn(3, 7, 5, 12, 6, setup="manager", buffer_flits=2)
SCHEMES = ("btin", "multicast", "unicast")
PAIR = Irregular(2, 1, (), ((0, 0), (0, 1)))


def runs(plan: BarrierPlan, episodes: int) -> Job:
    return Job(
        tuple(
            (plan, Scenario(episodes=episodes, scheme=scheme, policy=policy))
            for scheme in ("btin", "multicast", "unicast")
            for policy in ("last", "together")
        )
    )


def measured(outcome: Outcome) -> SchemeOutcome:
    assert outcome.mismatches == []
    assert outcome.hang is None
    assert outcome.counters == (0, 0, 0, 0)
    assert outcome.scheme is not None
    return outcome.scheme


def ways(spec: IrregularSpec, plan: IrregularGroupPlan) -> int:
    """Return the links between switches of the tables' ways from all members to the root node."""
    tables, topology, links = routing_tables(spec), spec.topology, 0
    for switch, _ in plan.members:
        while switch != plan.root_switch:
            end = topology.across(switch, tables[switch][plan.root_switch])
            assert end is not None
            switch, links = end[0], links + 1
    return links


@pytest.mark.long
def test_hardware_is_as_the_model_and_takes_the_links_of_the_map() -> None:
    spec, nodes = MESH_OF_SWITCHES, MESH_OF_SWITCHES.nodes
    plan = plan_of(spec, members(7, *nodes[1::2], nodes[0]))
    group, work = plan.groups[0], runs(plan, 7)
    assert isinstance(group, IrregularGroupPlan)
    assert group.bound is not None
    edges, away, count = len(group.edges), ways(spec, group), len(group.members)
    expected = {
        "btin": (2 * edges, 2 * count),
        "multicast": (away + edges, 2 * (count - 1) + count),
        "unicast": (2 * away, 4 * (count - 1)),
    }
    assert away > edges
    simulated, alone = simulate_tiles(work, build_fabric(spec)), run_model(work)
    worst: dict[tuple[str, str], int] = {}
    for (_, scenario), outcome, model in zip(
        work.runs, simulated.outcomes, alone.outcomes, strict=True
    ):
        found = measured(outcome)
        assert found == measured(model)
        assert found.between == [expected[scenario.scheme][0]] * 7
        assert found.beside == [expected[scenario.scheme][1]] * 7
        worst[scenario.scheme, scenario.policy] = max(found.cycles)
    assert worst["btin", "last"] == group.bound - 2
    assert worst["btin", "together"] <= worst["btin", "last"]
    for policy in ("last", "together"):
        assert worst["btin", policy] < worst["multicast", policy] < worst["unicast", policy]


@pytest.mark.parametrize(
    ("scheme", "other", "root"), [("btin", 3, 3), ("multicast", 6, 3), ("unicast", 6, 3)]
)
def test_two_nodes_of_a_switch_take_the_cycles_counted_by_hand(
    scheme: str, other: int, root: int
) -> None:
    """One cycle a hop; of a message: put, on the link, on the next link, and then acted upon."""
    spec = irregular(PAIR, setup="manager", cycles_per_hop=1)
    plan = plan_of(spec, members(7, *spec.nodes))
    work = Job(((plan, Scenario(episodes=2, scheme=scheme)),))
    # The root node is last in the first episode, the other in the second.
    assert measured(run_model(work).outcomes[0]).cycles == [root, other]


@pytest.mark.parametrize("turnaround", ["switch", "node"])
def test_go_reaches_everybody_however_the_barrier_turns(turnaround: str) -> None:
    spec = irregular(SMALL, setup="manager", turnaround=turnaround, cycles_per_hop=1)
    plan = plan_of(spec, members(7, *spec.nodes))
    work = Job(((plan, Scenario(episodes=4, scheme="multicast")),))
    assert len(measured(run_model(work).outcomes[0]).cycles) == 4


@pytest.mark.parametrize(
    ("spec", "groups", "scheme", "told"),
    [
        (irregular(SMALL), 1, "multicast", "know GO"),
        (irregular(SMALL), 2, "unicast", "one group"),
        (drawn(1, 70, 0, 40, 8, flit_bits=16, data_bits=2), 1, "unicast", "flit_bits"),
    ],
)
def test_what_a_scheme_cannot_do_is_refused(
    spec: IrregularSpec, groups: int, scheme: str, told: str
) -> None:
    plan = plan_of(spec, *(members(gid, *spec.nodes) for gid in range(groups)))
    with pytest.raises(ValueError, match=told):
        run_model(Job(((plan, Scenario(scheme=scheme)),)))
