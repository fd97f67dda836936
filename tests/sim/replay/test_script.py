"""What is played goes through files and comes back as it was."""

import pickle

from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.drive.scenario import Job, Passage, ReplayOutcome, Scenario, data_flits
from syncfabric.sim.drive.simulate import run_model
from syncfabric.sim.replay.sends import packets_of
from tests.models.collectives.right_schedules import fig_5


def test_a_job_with_a_schedule_does_the_same_when_it_comes_back() -> None:
    packets = packets_of(fig_5(), 8)
    plan = make_plan(packets.ground.spec(packets.channels))
    runs = [(plan, Scenario(episodes=1, policy="together", replay=packets.by_step))]
    job = Job(tuple(runs))
    again = pickle.loads(pickle.dumps(job))
    (first,), (second,) = run_model(job).outcomes, run_model(again).outcomes
    assert first.replay == second.replay
    assert first.replay is not None
    assert len(first.replay.begins) == 2


def test_an_outcome_comes_back() -> None:
    outcome = ReplayOutcome([3, 4], [3], [Passage(0, 7, 4, 5), Passage(1, 7, 6, 9)])
    assert pickle.loads(pickle.dumps(outcome)) == outcome


def test_no_two_packets_are_alike() -> None:
    flits = [flit for number in (0, 1, 2**20 - 1) for flit in data_flits(number, 4096)]
    assert len(set(flits)) == len(flits)
    assert max(flits) < 2**32
    assert data_flits(5, 3)[-1] == 5
