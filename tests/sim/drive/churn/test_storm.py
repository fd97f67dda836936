"""All groups killed at once, beside packets: in model and hardware, compared in every cycle."""

from collections.abc import Iterable

import pytest

from syncfabric.models.layout.setup import Operation
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.plan import GroupPlan
from syncfabric.sim.drive import churn, stimulus
from syncfabric.sim.drive.backends import simulate_tiles
from syncfabric.sim.drive.churn import Churner, Life
from syncfabric.sim.drive.config_port import Cycles
from syncfabric.sim.drive.scenario import Job, Outcome, Scenario
from syncfabric.sim.fabric import build_fabric
from syncfabric.sim.lifecycle.effects import Steps
from tests.sim.drive.churn.networks import TREE, grid, plan_with, played_by_model, well
from tests.sim.drive.networks import irregular

GROUPS, STORMS = 16, 3
NETWORKS: dict[str, MessageSpec] = {
    "mesh": grid(groups=GROUPS, data_bits=4),
    "mesh local": grid(groups=GROUPS, setup="local", managers=()),
    "irregular": irregular(TREE, groups=GROUPS, setup="manager", message_links="shared"),
}
SCENARIO = Scenario(episodes=0, churn=GROUPS * STORMS, background=0.2, lead_in=50, policy="mixed")


class Storms(Churner):
    """Waits until there are sixteen groups, and kills them all by one command of each manager."""

    struck: list[int]

    def _kill(self, life: Life) -> Cycles[None]:
        lives = list(self.alive.values())
        life.closed = True
        if not all(each.closed for each in lives) or (len(lives) < GROUPS and self._ahead):
            return
        self.struck.append(len(lives))
        for each in lives:
            self._order(each, Operation.KILL)
        self.outcome.killed += len(lives)
        start, sent = self._now, self._sent()
        yield from self._perform(life, self._all(each.group for each in lives))
        for each in lives:
            self.outcome.tear_down(self._now - start, 2 * (self._sent() - sent) // len(lives))
            while each.inside:
                yield
            yield from self._leave(each)

    def _all(self, groups: Iterable[GroupPlan]) -> Steps[None]:
        yield from self._software.kill(*groups)


@pytest.fixture
def struck(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return how many groups each storm ends."""
    counts: list[int] = []
    monkeypatch.setattr(Storms, "struck", counts, raising=False)
    monkeypatch.setattr(stimulus, "Churner", Storms)
    monkeypatch.setattr(churn, "AT_ONCE", GROUPS)
    monkeypatch.setattr(churn, "DOOMED", 1)
    monkeypatch.setattr(churn, "FEW", 3)
    return counts


def check(outcome: Outcome, struck: list[int]) -> None:
    well(outcome, SCENARIO)
    assert outcome.churn is not None
    assert outcome.churn.given_up == 0
    assert struck == [GROUPS] * STORMS


@pytest.mark.parametrize("name", NETWORKS)
def test_the_model_loses_nothing(name: str, struck: list[int]) -> None:
    check(played_by_model(plan_with(NETWORKS[name], 0), SCENARIO), struck)


@pytest.mark.long
@pytest.mark.parametrize("name", NETWORKS)
def test_hardware_does_as_the_model_in_every_cycle(name: str, struck: list[int]) -> None:
    plan = plan_with(NETWORKS[name], 0)
    job = Job(((plan, SCENARIO),))
    (outcome,) = simulate_tiles(job, build_fabric(plan.spec.network)).outcomes
    check(outcome, struck)
