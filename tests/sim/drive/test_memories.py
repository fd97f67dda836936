"""What engines keep of groups at the end of a run: each defined field is compared, and no other."""

from typing import Any

import pytest

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.memories import Stored
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.results import Mismatch
from tests.sim.drive.churn.networks import grid, plan_with
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, members, mesh, plan_of

ALL = ((0, 0), (1, 0), (0, 1), (1, 1))
PLAN = plan_of(mesh(2, 2, watchdog=200, key_bits=3), members(7, *ALL), members(9, *ALL[:2]))
NODE = (1, 0)


def played(plan: BarrierPlan, **keys: Any) -> tuple[ScenarioRunner, list[list[Stored]]]:
    """Return the model's run, and the words that hardware must keep, undefined bits inverted."""
    runner = ScenarioRunner(plan, Scenario(**{"episodes": 3, **keys}))
    assert runner.run_model().hang is None
    model = runner.driver.model
    entries = range(model.shape.router.layout.entries)
    words = [[word for k in entries for word in node.engine.stored(k)] for node in model.nodes]
    return runner, [
        [((value ^ ~known) & (1 << 200) - 1, 0) for value, known in row] for row in words
    ]


def found(runner: ScenarioRunner, rows: list[list[Stored]]) -> list[Mismatch]:
    """Return what a runner says to the words that hardware keeps."""
    runner.checker.mismatches.clear()
    runner.take_entries(rows)
    return runner.checker.mismatches


@pytest.mark.parametrize(
    "plan",
    [
        PLAN,
        plan_with(grid(), 1),
        plan_of(irregular(SMALL, data_bits=0), members(3, *SMALL.nodes)),
    ],
    ids=["mesh", "churn", "irregular"],
)
def test_undefined_bits_are_not_compared(plan: BarrierPlan) -> None:
    runner, rows = played(plan, churn=4 * (plan.spec.network.setup == "manager"))
    assert not found(runner, rows)


def test_each_defined_field_is_compared() -> None:
    runner, rows = played(PLAN)
    model, group = runner.driver.model, PLAN.groups[1]
    router = PLAN.spec.network.topology.nodes.index(NODE)
    layout, entry = model.shape.router.layout, group.placement[router]
    for number, (name, word) in enumerate(layout.memories.items()):
        for field in word.fields:
            at = len(layout.memories) * entry + number
            seen, _ = rows[router][at]
            low, wanted = word.offsets[field.name], seen >> word.offsets[field.name]
            wanted &= (1 << field.width) - 1
            for kept in ((seen ^ 1 << low, 0), (seen & ~(1 << low), 1 << low)):
                wrong = [list(row) for row in rows]
                wrong[router][at] = kept
                mismatches = found(runner, wrong)
                if name == "data":  # between barriers nothing is merged
                    assert not mismatches
                    continue
                value = "unknown" if kept[1] else wanted ^ 1
                signal = f"entry {entry} of group {group.id}: {field.name}"
                assert mismatches == [Mismatch(runner.session.cycle, NODE, signal, value, wanted)]


def test_free_entries_and_unfinished_merges_are_compared() -> None:
    runner, rows = played(PLAN)
    layout = runner.driver.model.shape.router.layout
    free, states = layout.entries - 1, len(layout.memories) * (layout.entries - 1) + 1
    rows[0][states] = rows[0][states][0] ^ 1 << layout.state.offsets["alive"], 0
    (wrong,) = found(runner, rows)
    assert (wrong.signal, wrong.hardware, wrong.model) == (f"entry {free}: alive", 1, 0)
    engine = runner.driver.model.nodes[0].engine
    kept = engine.entry(0)._replace(fresh=False, acc=5)
    engine._memory[0] = kept
    assert engine.stored(0)[2] == (5, (1 << layout.data_bits) - 1)
