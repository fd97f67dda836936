"""Jobs and outcomes go through files and come back as they were."""

import pickle
import random

from syncfabric.sim.drive.scenario import (
    GroupOutcome,
    Job,
    Outcome,
    Scenario,
    SchemeOutcome,
    Sending,
    TrafficOutcome,
)
from syncfabric.sim.results import Mismatch
from tests.sim.drive.networks import make_job, mesh


def test_a_job_comes_back() -> None:
    packets = (Sending(4, 1, 0, (5, 6)), Sending(9, 0, 1, (7,)))
    scenarios = (Scenario(noise=True), Scenario(packets=packets), Scenario(scheme="unicast"))
    job = make_job(mesh(3, 2), random.Random(1), scenarios, coverage=True)
    again: Job = pickle.loads(pickle.dumps(job))
    assert [scenario for _, scenario in again.runs] == list(scenarios)
    for (plan, _), (copy, _) in zip(job.runs, again.runs, strict=True):
        assert (copy.spec, copy.groups) == (plan.spec, plan.groups)
    assert (again.coverage, again.chunk, again.log) == (True, job.chunk, None)


def test_an_outcome_comes_back() -> None:
    outcome = Outcome(
        cycles=900,
        seconds=0.5,
        mismatches=[Mismatch(3, (1, 0), "release[0]", 1, 0), Mismatch(4, None, "line", "x", "")],
        hang="nothing moves",
        groups=[GroupOutcome(7, [9, 8], [9, 9])],
        traffic=TrafficOutcome(0.2, 3, [11], [10], True),
        counters=(0, 1, 2, 3),
        messages=6,
        releases=4,
        loads={24: 0.125},
        coverage={"root released with 0 children": 2},
        scheme=SchemeOutcome([7], [4], [9]),
    )
    assert pickle.loads(pickle.dumps(outcome)) == outcome
