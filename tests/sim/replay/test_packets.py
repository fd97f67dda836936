"""The packets of a schedule: what each needs, virtual channels of their routes, and their data."""

import pickle
from collections.abc import Sequence

import networkx as nx
import pytest

from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.paths import paths
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Rules
from syncfabric.models.errors import SpecError
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.drive.backends import run_job
from syncfabric.sim.drive.scenario import Crossing, Job, ReplayOutcome, Scenario, data_flits
from syncfabric.sim.replay.packets import needs_of, packets_of
from syncfabric.sim.replay.routes import layers_of
from tests.models.collectives.right_schedules import fig_5, ring_oas, turned_round

LINE = named("mesh-3x1")


def test_copies_need_the_message() -> None:
    # In step 1 node 0 informs 3 and 6; in step 2 these and node 0 inform the others.
    transfers = [transfer for step in fig_5().steps for transfer in step]
    assert [transfer.message[1] for transfer in transfers] == [3, 6, 1, 2, 4, 5, 7]
    assert needs_of(fig_5()) == [(), (), (), (0,), (0,), (1,), ()]


def test_messages_that_go_hop_by_hop_need_their_last_hop() -> None:
    schedule = ring_oas(4)
    transfers = [transfer for step in schedule.steps for transfer in step]
    for number, (needs, (message, path)) in enumerate(
        zip(needs_of(schedule), transfers, strict=True)
    ):
        if path[0] == 0:
            assert needs == ()
        else:
            (before,) = needs
            assert before < number
            assert transfers[before].message == message
            assert transfers[before].path[-1] == path[0]


def test_a_reduce_needs_all_that_came() -> None:
    schedule = turned_round(fig_5(), "AOR")
    needs = needs_of(schedule)
    assert needs[:5] == [()] * 5
    for number, (_, path) in enumerate(schedule.steps[1], 5):
        came = [n for n, (_, taken) in enumerate(schedule.steps[0]) if taken[-1] == path[0]]
        assert needs[number] == tuple(came)


@pytest.mark.parametrize(
    ("kind", "rules", "step", "words"),
    [
        (
            "OAB",
            Rules(switching="store-and-forward"),
            [((0, 1), (0, 1)), ((0, 2), (1, 2))],
            "step 1: message 0 to 2: node 1 sends it, but has not got it yet",
        ),
        ("AAS", Rules(), [((0, 1), (0, 1, 0, 1))], "step 1: message 0 to 1 passes a vertex twice"),
        (
            "AAS",
            Rules(),
            [((0, 1), (0,))],
            "step 1: message 0 to 1: its path must lead from node to node",
        ),
    ],
)
def test_what_cannot_be_sent(
    kind: str, rules: Rules, step: list[tuple[tuple[int, int], tuple[int, ...]]], words: str
) -> None:
    schedule = Schedule.of(LINE, collective(kind, LINE), rules, [step])
    with pytest.raises(SpecError) as error:
        needs_of(schedule)
    assert str(error.value) == f"schedule: {words}"


@pytest.mark.parametrize(
    ("routes", "most", "layers"),
    [
        ([(1, 2, 3), (3, 4), (2, 4), (5,), ()], 4, [0] * 5),
        ([(1, 2), (2, 3), (3, 1), (3, 1, 2), (1, 2)], 4, [0, 0, 1, 1, 0]),
        ([(1, 2), (2, 3), (3, 1), (3, 1, 2), (1, 2)], 1, [0, 0, None, None, 0]),
        # 4 waits for 1 only on the route that is refused, which leaves nothing behind.
        ([(1, 2), (2, 1, 4, 1), (1, 4)], 1, [0, None, 0]),
        ([(1, 2), (4, 1, 2, 1), (1, 4)], 1, [0, None, 0]),
    ],
)
def test_a_route_that_closes_a_cycle_has_the_next_layer(
    routes: Sequence[Sequence[int]], most: int, layers: list[int | None]
) -> None:
    assert layers_of(routes, most) == layers


@pytest.mark.parametrize("name", ["ring-9", "octagon-8", "torus-4x4", "moore-petersen"])
def test_no_layer_has_a_cycle(name: str) -> None:
    topology = named(name)
    pairs = collective("AAS", topology).pairs
    routes = [topology.along(next(paths(topology, a, b))) for a, b in pairs]
    layers = layers_of(routes, 4)
    assert None not in layers
    for layer in set(layers):
        graph: nx.DiGraph[int] = nx.DiGraph()
        for route, of in zip(routes, layers, strict=True):
            if of == layer:
                nx.add_path(graph, route)
        assert nx.is_directed_acyclic_graph(graph)


def test_jobs_and_outcomes_are_the_same_through_a_file() -> None:
    packets = packets_of(fig_5(), 8)
    plan = make_plan(packets.fabric.spec(packets.channels))
    job = Job(((plan, Scenario(episodes=1, policy="together", replay=packets.replays[0])),))
    again = pickle.loads(pickle.dumps(job))
    (first,), (second,) = run_job(job, "model").outcomes, run_job(again, "model").outcomes
    assert first.replay == second.replay
    assert first.replay is not None
    assert len(first.replay.begins) == 2
    outcome = ReplayOutcome([3, 4], [3], [Crossing(0, 7, 4, 5), Crossing(1, 7, 6, 9)])
    assert pickle.loads(pickle.dumps(outcome)) == outcome


def test_no_two_packets_are_alike() -> None:
    flits = [flit for number in (0, 1, 2**20 - 1) for flit in data_flits(number, 4096)]
    assert len(set(flits)) == len(flits)
    assert max(flits) < 2**32
    assert data_flits(5, 3)[-1] == 5
