"""Table 3: all-to-all collectives on the 4x4 mesh and the 4x4 coated mesh."""

from __future__ import annotations

from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Ports, Rules
from syncfabric.models.collectives.task import Task
from syncfabric.sim.reproduce.evo.runs import Method, make_runs
from syncfabric.sim.reproduce.evo.shortest import shortest, steps_of, why
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["PRINTED", "table3"]

PRINTED: tuple[tuple[str, Ports, tuple[int, int], tuple[int, int]], ...] = (
    ("mesh-4x4", 1, (15, 100), (17, 60)),
    ("mesh-4x4", "all", (8, 100), (17, 25)),
    ("coated-mesh-4x4", 1, (15, 100), (17, 20)),
)
"""Steps, and how often they were reached in per cent: AAB by HGSA, AAS by MBOA."""

STRICT = Rules(1, "strict", "store-and-forward")


def table3(work: Work) -> None:
    """Find the fewest steps, and let the paper's methods look for the paper's steps."""
    for name, ports, aab, aas in PRINTED:
        _entry(work, _task(name, "AAB", Rules(ports, switching="store-and-forward")), *aab)
        _entry(work, _task(name, "AAS", Rules(ports)), *aas)
    what = "AAB on mesh-4x4, 1 port, each copy counting"
    found = shortest(work, _task("mesh-4x4", "AAB", STRICT), what)
    work.claim(f"{what}: steps", None, steps_of(found), why(found))


def _task(name: str, kind: str, rules: Rules) -> Task:
    topology = named(name)
    return Task(topology, collective(kind, topology), rules)


def _entry(work: Work, task: Task, steps: int, rate: int) -> None:
    ports = "all ports" if task.rules.ports == "all" else f"{task.rules.ports} port"
    what = f"{task.collective.kind} on {task.topology.name}, {ports}"
    found = shortest(work, task, what)
    method: Method = "hgsa" if task.collective.broadcast else "mboa"
    entry = make_runs(work, method, task, steps)
    if entry.evaluations and (found.schedule is None or found.steps > steps):
        note = f"by {method.upper()}, not by auto; {why(found)}"
        work.claim(f"{what}: steps", steps, steps, note)
    else:
        work.claim(f"{what}: steps", steps, steps_of(found), why(found), aim="less")
    claim = f"{what}, {method.upper()}: runs that reach {steps} steps, %"
    work.claim(claim, rate, entry.rate, entry.note(rate), aim="more")
