"""Something is broken on purpose, in the network or in the software: a check says so."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from syncfabric.models.golden import set_up_steps
from syncfabric.models.golden.living_barrier import LivingBarrierRegister
from syncfabric.models.golden.living_switch import LivingSwitchRegister
from syncfabric.models.golden.set_up_sink import Freed, SetUpSink
from syncfabric.models.golden.set_up_steps import Steps
from syncfabric.models.messages import Answer, Request
from syncfabric.sim.drive.churn import churner
from syncfabric.sim.drive.churn.churner import Churner
from syncfabric.sim.drive.churn.draw import Drawing
from syncfabric.sim.drive.churn.life import Life, Stage
from syncfabric.sim.drive.churn.seats import Seats
from syncfabric.sim.drive.scenario import Outcome, Scenario
from tests.sim.drive.churn.networks import cluster, grid, plan_with, played_by_model

Break = Callable[[pytest.MonkeyPatch], None]

SCENARIO = Scenario(episodes=1, churn=25)


def without_go(patch: pytest.MonkeyPatch) -> None:
    """Tell nobody that a group is set up."""
    patch.setattr(LivingSwitchRegister, "open", lambda self: frozenset())


def early_clear(patch: pytest.MonkeyPatch) -> None:
    """Clear as soon as a group is set up."""
    tend = Churner._tend

    def hastily(self: Churner, now: int, life: Life) -> None:
        if life.stage is Stage.LIVES and not life.doomed:
            life.stage = Stage.ENDS
            self._managers.order(life, Request.CLEAR)
        tend(self, now, life)

    patch.setattr(Churner, "_tend", hastily)


def released_early(patch: pytest.MonkeyPatch) -> None:
    """Let a mesh's register fire when its node has arrived, whoever else has not."""

    def fires(self: Any) -> bool:
        return bool(self.valid and not self.fired and self.local)

    patch.setattr(LivingBarrierRegister, "may_fire", fires)


def never_last(patch: pytest.MonkeyPatch) -> None:
    """Forget that a barrier is the last."""

    def renew(self: Any) -> None:
        self.go = self.freed = self.broken = self.last = False

    patch.setattr(LivingSwitchRegister, "renew", renew)


def always_freed(patch: pytest.MonkeyPatch) -> None:
    """Take every barrier for the last."""
    finish = LivingSwitchRegister.finish

    def finished(self: Any, result: int) -> frozenset[int]:
        self.last = True
        return finish(self, result)

    patch.setattr(LivingSwitchRegister, "finish", finished)


def freed_is_lost(patch: pytest.MonkeyPatch) -> None:
    """Drop what a sink has to tell of freed groups."""

    def forget(self: SetUpSink, freed: Freed) -> None:
        assert freed.register is not None
        freed.register.freed = False

    patch.setattr(SetUpSink, "_tell", forget)


def clear_leaves_it(patch: pytest.MonkeyPatch) -> None:
    """Answer CLEAR, and do nothing."""
    end = set_up_steps._end

    def answered(base: int, request: Mapping[str, int], dialect: Any) -> Steps:
        if request["operation"] == Request.CLEAR:
            return Answer.OK
        return (yield from end(base, request, dialect))

    patch.setattr(set_up_steps, "_end", answered)


def wipes_are_left_out(patch: pytest.MonkeyPatch) -> None:
    """Leave the registers of node interfaces behind."""
    patch.setattr(Seats, "wipes", lambda self, life: ())


def the_same_epoch(patch: pytest.MonkeyPatch) -> None:
    """Let members write another epoch than their manager's."""
    take = Seats.take

    def wrong(self: Seats, life: Life) -> Any:
        life.epoch ^= 1
        return take(self, life)

    patch.setattr(Seats, "take", wrong)


def a_taken_number(patch: pytest.MonkeyPatch) -> None:
    """Give a life the number of a group that stays."""
    init = Drawing.__init__

    def one(self: Drawing, *rest: Any) -> None:
        init(self, *rest)
        self._free = [7]

    patch.setattr(Drawing, "__init__", one)


def kill_is_obeyed_late(patch: pytest.MonkeyPatch) -> None:
    """Have KILL release nobody."""
    patch.setattr("syncfabric.models.golden.living_unit.LivingNode._break", lambda self, r: None)


@pytest.mark.parametrize(
    ("network", "breaks", "found"),
    [
        (cluster(), without_go, "which is to come and go, comes no further"),
        (cluster(), early_clear, "cleared, and not freed"),
        (grid(), released_early, "arrivals before a release"),
        (cluster(), never_last, "which is to come and go, comes no further"),
        (cluster(), always_freed, "freed, and never there"),
        (cluster(), freed_is_lost, "which is to come and go, comes no further"),
        (cluster(), clear_leaves_it, "register that it has left"),
        (cluster(), wipes_are_left_out, "register that it has left"),
        (cluster(), the_same_epoch, "which is to come and go, comes no further"),
        (cluster(), a_taken_number, "group 7: "),
        (cluster(), kill_is_obeyed_late, "members inside when it was gone"),
    ],
)
def test_it_is_told(
    network: Any, breaks: Break, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    breaks(monkeypatch)
    monkeypatch.setattr(churner, "PATIENCE", 3000)
    # Without GO the groups that stay would not begin either.
    outcome = played_by_model(plan_with(network, 0 if breaks is without_go else 2), SCENARIO)
    assert any(found in words for words in said(outcome)), said(outcome)


def said(outcome: Outcome) -> list[str]:
    """Return everything that a run complains of."""
    told = [mismatch.signal for mismatch in outcome.mismatches]
    return [*told, outcome.hang] if outcome.hang else told


def test_groups_that_stay_and_never_hear_go_are_a_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    without_go(monkeypatch)
    outcome = played_by_model(plan_with(cluster()), SCENARIO)
    assert outcome.hang == "nothing moves any more; unfinished groups: 7, 9"
