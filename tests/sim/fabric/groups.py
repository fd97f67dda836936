"""Groups in a running fabric: set up by requests, as software does that waits for answers."""

from pathlib import Path

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up_writes import set_up_writes
from syncfabric.sim.assemble.script import Stimulus, script_text
from syncfabric.sim.fabric.program import Fabric

SWEEP = 100
"""Cycles after reset in which engines clear their entries."""
ACCESS = 100
"""Cycles for a request over the chain and its answer, in the networks of these tests."""


def give(fabric: Fabric, stimuli: list[Stimulus], folder: Path) -> None:
    """Hand in a script."""
    script = folder / "script.txt"
    script.write_text(script_text(stimuli))
    fabric.script(script)


def set_up(fabric: Fabric, plan: BarrierPlan) -> int:
    """Set a plan's groups up from reset, and return the cycle; all may arrive from it on."""
    fabric.run(SWEEP)
    writes = list(set_up_writes(plan))
    assert not any(write.until for write in writes)  # no manager's
    fabric.request((write.target, write.address, write.value) for write in writes)
    fabric.run(cycles := ACCESS * len(writes))
    answers = fabric.answers()
    assert [error for error, _ in answers] == [False] * len(writes)
    fabric.run(ACCESS)  # the roots' GO reaches all members
    return SWEEP + cycles + ACCESS
