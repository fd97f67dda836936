"""A router that never answers: its manager is freed by ABORT, and all others can be used again."""

from collections.abc import Iterable

import pytest

from syncfabric.models.golden.set_up_sink import SetUpSink
from syncfabric.models.messages import (
    MANAGER_COMMAND,
    Answer,
    Counter,
    ManagerState,
    ManagerWord,
    Request,
)
from syncfabric.models.planning.btm import build_tree
from tests.models.golden.set_up_bench import MeshBench
from tests.sim.drive.networks import mesh

ABORT = MANAGER_COMMAND.pack({"operation": Request.ABORT})
DEAD = 3
"""A node of a row whose sink takes requests and never answers."""


@pytest.fixture
def row(monkeypatch: pytest.MonkeyPatch) -> MeshBench:
    """Return a row of four, with two groups, of all and of all but the dead one."""
    bench = MeshBench(mesh(4, 1, setup="manager"))
    serve = SetUpSink._serve

    def served(self: SetUpSink, words: list[int]) -> Iterable[object]:
        dead = self is bench.model._sinks[DEAD]  # type: ignore[attr-defined]
        return iter(()) if dead else serve(self, words)

    monkeypatch.setattr(SetUpSink, "_serve", served)
    return bench


def nodes(count: int) -> list[tuple[int, int]]:
    return [(x, 0) for x in range(count)]


def test_abort_frees_a_manager_that_waits_in_vain(row: MeshBench) -> None:
    every, others = build_tree(nodes(4)), build_tree(nodes(3))
    count = row.load(every, gid=9)
    row.order(Request.SETUP, count)
    for _ in range(500):
        row.step()
    assert row.model.manager_state(0) is ManagerState.RUNNING
    assert row.manage(0, ManagerWord.POINTER, 0) is None
    assert row.manage(0, ManagerWord.COMMAND, ABORT) == 0
    assert row.outcome() == (ManagerState.FAILED, Answer.ABORTED, 0)
    # What the others have written is still there: it is killed without the dead one.
    held = [node for node in range(4) if row.model.holder(node, 9) is not None]
    assert held
    count = row.load(others, gid=9)
    assert row.run(Request.KILL, count) == (ManagerState.DONE, Answer.OK, 0)
    row.settle()
    assert [row.model.holder(node, 9) for node in range(4)] == [None] * 4
    row.enrol(others, 9, 1)
    count = row.load(others, gid=9, epoch=1)
    assert row.run(Request.SETUP, count) == (ManagerState.DONE, Answer.OK, 0)
    row.settle()
    assert len(row.barrier(9)) == 3


def test_abort_where_nothing_runs_is_refused(row: MeshBench) -> None:
    assert row.manage(0, ManagerWord.COMMAND, ABORT) is None
    assert row.counter(0, Counter.REFUSED_WRITE) == 1
