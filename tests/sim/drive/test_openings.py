"""Nobody arrives before GO, wherever a managed group is."""

import random
from typing import Any

import pytest

from syncfabric.models.messages import COUNTER_BITS, Counter, Kind
from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.sim.assemble.player import StimulusKind
from syncfabric.sim.drive.openings import Openings
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.session import Session
from syncfabric.sim.drive.targets import targets_of
from tests.sim.drive.clusters import star
from tests.sim.drive.networks import make_job, mesh, played

MANAGED: dict[str, Any] = {"setup": "manager", "spill": True, "barrier_registers": 1}
NETWORKS = [mesh(3, 3, **MANAGED), star(3, 3, **MANAGED)]


@pytest.mark.parametrize("network", NETWORKS, ids=["mesh", "irregular"])
def test_members_wait_for_go(network: RegisterSpec) -> None:
    scenario = Scenario(episodes=2, policy="together")
    ((plan, _),) = make_job(network, random.Random(5), [scenario]).runs
    chunks = played(plan, scenario)
    go = {
        told[:2]: line.cycle
        for chunk in chunks
        for line in chunk.lines
        for told in line.record.spill
        if told[3] == Kind.GO
    }
    arrivals = [
        ((s.index, s.extra), s.cycle)
        for chunk in chunks
        for s in chunk.stimuli
        if s.kind is StimulusKind.SPILL
    ]
    alone = [
        (network.topology.index(group.members[0]), group.id)
        for group in plan.groups
        if network.kind == "irregular" and len(group.members) == 1
    ]
    assert len(go) > 5
    for key, cycle in arrivals:
        assert key in alone or go[key] < cycle


def test_who_does_not_wait_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    network = star(3, 3, **MANAGED)
    scenario = Scenario(episodes=2, policy="together")
    ((plan, _),) = make_job(network, random.Random(5), [scenario]).runs
    session = Session(plan, scenario)
    monkeypatch.setattr(Openings, "are_all", lambda self: True)
    while not session.finished:
        session.advance(256)
    assert session.hang is not None
    targets = targets_of(network)
    counters = [targets.split(t, session.model.observe(t))[1] for t in range(targets.nodes)]
    assert any(word >> Counter.REFUSED_ARRIVE * COUNTER_BITS & 255 for word in counters)
