"""Something is broken on purpose, in the network or in the software: a check says so."""

from collections.abc import Callable
from typing import Any

import pytest

from syncfabric.models.golden.engine import memory
from syncfabric.models.golden.engine.memory import Memory, Service
from syncfabric.models.golden.engine.node_port import NodePort
from syncfabric.models.layout.engine import Kind
from syncfabric.models.planning.free import FreeEntries
from syncfabric.models.planning.set_up import Epochs
from syncfabric.sim.drive import churn
from syncfabric.sim.drive.scenario import Outcome, Scenario
from syncfabric.sim.lifecycle.effects import Ask, Steps
from syncfabric.sim.lifecycle.lifecycle import Lifecycle
from tests.sim.drive.churn.networks import NETWORKS, plan_with, played_by_model

Break = Callable[[pytest.MonkeyPatch], None]

SCENARIO = Scenario(episodes=2, seed=3, churn=24)
HANGS = "which is to come and go, comes no further"


def _not(*_: object) -> Steps[None]:
    """Do nothing, and say that it is done."""
    yield Ask([])


def without_go(patch: pytest.MonkeyPatch) -> None:
    """Tell no member that a group is set up."""
    receive = NodePort._receive

    def deaf(self: NodePort, message: Any) -> None:
        if message.kind != Kind.GO:
            receive(self, message)

    patch.setattr(NodePort, "_receive", deaf)


def released_early(patch: pytest.MonkeyPatch) -> None:
    """Let an entry fire for the first that comes, whoever else has not."""
    merge = Memory._merge

    def fires(self: Memory, number: int, kind: int, data: int, port: frozenset[int]) -> Service:
        entry = self._entries[number]
        if port and not entry.turn:
            self._entries[number] = entry._replace(missing=port)
        return merge(self, number, kind, data, port)

    patch.setattr(Memory, "_merge", fires)


def never_last(patch: pytest.MonkeyPatch) -> None:
    """Forget that a barrier is the last."""
    patch.setattr(memory, "_LAST", -1)


def killed_and_alive(patch: pytest.MonkeyPatch) -> None:
    """Say that a group is killed, and do nothing."""
    patch.setattr(Lifecycle, "kill", _not)


def by_an_old_epoch(patch: pytest.MonkeyPatch) -> None:
    """Forget that set-ups count the epoch."""
    patch.setattr(Epochs, "set_up", lambda *_: None)


def in_taken_entries(patch: pytest.MonkeyPatch) -> None:
    """Take entries that other groups have."""
    patch.setattr(FreeEntries, "hold", lambda *_: None)
    patch.setattr(FreeEntries, "leave", lambda *_: None)


def broken_is_lost(patch: pytest.MonkeyPatch) -> None:
    """Have KILL release nobody."""
    receive, over = NodePort._receive, NodePort.over

    def deaf(self: NodePort, message: Any) -> None:
        if message.kind != Kind.BROKEN:
            receive(self, message)

    patch.setattr(NodePort, "_receive", deaf)
    patch.setattr(
        NodePort, "over", lambda self, m: over(self, m) and m is not None and m.kind != Kind.BROKEN
    )


@pytest.mark.parametrize(
    ("name", "breaks", "found"),
    [
        ("mesh local", without_go, "nothing moves any more; unfinished groups: 7, 9"),
        ("mesh local", released_early, "arrivals before a release"),
        ("mesh managed", never_last, HANGS),
        ("mesh local", killed_and_alive, "alive when it is over"),
        ("mesh managed", by_an_old_epoch, HANGS),
        ("irregular managed", in_taken_entries, ""),
    ],
)
def test_it_is_told(name: str, breaks: Break, found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    breaks(monkeypatch)
    monkeypatch.setattr(churn, "TIMEOUT", 3000)
    outcome = played_by_model(plan_with(NETWORKS[name]), SCENARIO)
    assert any(found in words for words in said(outcome)), said(outcome)


def said(outcome: Outcome) -> list[str]:
    """Return everything that a run complains of."""
    told = [mismatch.signal for mismatch in outcome.mismatches]
    return [*told, outcome.hang] if outcome.hang else told
