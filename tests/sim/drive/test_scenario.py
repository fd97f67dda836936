"""Jobs and outcomes go through JSON files and come back as they were."""

import json
import random

from syncfabric.sim.drive.scenario import GroupOutcome, Job, Outcome, TrafficOutcome
from syncfabric.sim.results import Mismatch
from tests.sim.drive.networks import make_job, mesh


def test_a_job_comes_back() -> None:
    job = make_job(mesh(3, 2, spill=True), random.Random(1), coverage=True)
    again = Job.from_json(json.loads(json.dumps(job.to_json())))
    assert [scenario for _, scenario in again.runs] == [scenario for _, scenario in job.runs]
    for (plan, _), (copy, _) in zip(job.runs, again.runs, strict=True):
        assert (copy.spec, copy.groups) == (plan.spec, plan.groups)
    assert again.coverage
    assert (again.chunk, again.log, again.loads) == (job.chunk, None, False)


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
        coverage={"spilled release": 2},
    )
    assert Outcome.from_json(json.loads(json.dumps(outcome.to_json()))) == outcome
    unread = Outcome.from_json({**outcome.to_json(), "counters": None})
    assert unread.counters is None
