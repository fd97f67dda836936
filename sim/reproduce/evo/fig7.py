"""Fig. 7: one-to-all scatter on the 4x4 mesh, which needs a non-minimal path."""

from __future__ import annotations

from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Rules, Schedule
from syncfabric.models.collectives.task import Task
from syncfabric.sim.draw.schedule import schedule_figure
from syncfabric.sim.reproduce.evo.detours import detours, straightened
from syncfabric.sim.reproduce.evo.shortest import shortest, steps_of, why
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["fig7"]

CORNER, EDGE, INNER = 0, 1, 5
SOURCES = {"a corner": CORNER, "an edge node": EDGE, "an inner node": INNER}
PRINTED = 5
"""Steps, from a node that sends three messages in each of them: one on an edge."""


def fig7(work: Work) -> None:
    """Scatter from each kind of node, with minimal paths and with longer ones."""
    mesh = named("mesh-4x4")
    minimal: dict[int, int] = {}
    for words, source in SOURCES.items():
        made = collective("OAS", mesh, (source,))
        what = f"OAS from {words}, minimal paths"
        found = shortest(work, Task(mesh, made, Rules()), what)
        minimal[source] = found.steps
        work.claim(f"{what}: steps", None, steps_of(found), why(found))
    for words, source in SOURCES.items():
        made = collective("OAS", mesh, (source,))
        what = f"OAS from {words}, non-minimal paths"
        found = shortest(work, Task(mesh, made, Rules(), 2), what)
        paper = PRINTED if source == EDGE else None
        work.claim(f"{what}: steps", paper, steps_of(found), why(found), aim="less")
        if source == EDGE and found.schedule is not None:
            _picture(work, Task(mesh, made, Rules(), 2), found.schedule, what)
            more = minimal[source] > found.steps
            work.confirm(f"{what}: minimal ones alone need more steps", more)


def _picture(work: Work, task: Task, found: Schedule, what: str) -> None:
    """Draw what the figure shows: one message a channel in every step, few on longer paths."""
    work.tell(f"{what}: as few of them as can be")
    schedule = straightened(work, task, found)
    work.drawing = lambda: schedule_figure(schedule)
    sent = sorted(map(len, schedule.steps))
    work.claim(f"{what}: messages in every step, at least", 3, sent[0])
    work.claim(f"{what}: messages on a longer path", None, detours(schedule))
