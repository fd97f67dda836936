"""Commands that software ends at any moment, hardware against model in every cycle."""

import random
from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.messages import (
    MANAGER_COMMAND,
    Answer,
    Counter,
    ManagerState,
    ManagerWord,
    Request,
)
from syncfabric.models.planning.btm import build_tree
from tests.models.golden.irregular_bench import tree
from tests.models.golden.set_up_bench import IrregularBench, MeshBench, SetUpBench
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.lives import Notes
from tests.sim.drive.networks import irregular, mesh

ABORT = MANAGER_COMMAND.pack({"operation": Request.ABORT})
ABORTED = (ManagerState.FAILED, Answer.ABORTED, 0)


def stage(kind: str, rng: random.Random) -> tuple[SetUpBench[Any], Any]:
    """Return a bench of a small network, and a group of all its nodes."""
    if kind == "mesh":
        grid = mesh(3, 2, setup="manager")
        return MeshBench(grid), build_tree(grid.mesh.nodes)
    network = irregular(SMALL, setup="manager")
    return IrregularBench(network), tree(network, [0, 1, 2, 3], 0, rng)


def lives_cut_short(made: SetUpBench[Any], group: Any, rng: random.Random) -> list[bool]:
    """Begin commands, abort them at random, and kill what is left; return which were aborted."""
    aborted = []
    for number in range(40):
        gid, epoch = 5, number % 4
        made.enrol(group, gid, epoch)
        count = made.load(group, gid, epoch)
        made.order(rng.choice((Request.SETUP, Request.SETUP, Request.CLEAR)), count)
        for _ in range(rng.randrange(70)):
            made.step()
        node = made.managers[0]
        runs = made.model.manager_state(node) is ManagerState.RUNNING
        obeyed = made.manage(0, ManagerWord.COMMAND, ABORT) == 0
        assert not obeyed or runs  # a command may end before ABORT is looked at
        aborted.append(made.outcome() == ABORTED)
        if rng.random() < 0.5:  # before or after late replies are in
            made.settle()
        kill(made, count)
    return aborted


def kill(made: SetUpBench[Any], count: int) -> None:
    """Kill a group; a request that finds its slot still taken is dropped, and KILL is repeated."""
    node = made.managers[0]
    for _ in range(2):
        made.order(Request.KILL, count)
        made.settle()
        if made.model.manager_state(node) is ManagerState.DONE:
            return
        assert made.manage(0, ManagerWord.COMMAND, ABORT) == 0
        made.settle()
    raise AssertionError("KILL is not obeyed although nothing is under way")


@pytest.mark.long
@pytest.mark.parametrize("kind", ["mesh", "irregular"])
def test_hardware_aborts_as_the_model_does(kind: str, tmp_path: Path) -> None:
    rng = random.Random(kind)
    made, group = stage(kind, rng)
    notes = Notes(made.model, made.network.barrier_registers)
    aborted = lives_cut_short(made, group, rng)
    assert 10 < sum(aborted) < len(aborted)
    assert made.counter(made.managers[0], Counter.STRAY) > 0  # replies that came too late
    notes.check(made.network, tmp_path)
