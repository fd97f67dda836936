"""Table 4: the AAS schedule of the Octagon, as printed."""

from __future__ import annotations

from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Rules, Schedule
from syncfabric.models.collectives.verdict import examine
from syncfabric.sim.draw.schedule import schedule_figure
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["PRINTED", "printed_schedule", "table4"]

PRINTED = (
    "073 104 156 21 23 267 340 432 45 512 654 701 762",
    "012 07 10 265 321 34 451 437 54 567 623 73 704 76",
    "01 12 15 107 234 26 32 40 456 543 670 621 765",
    "04 015 076 123 210 345 326 37 43 540 51 56 62 65 67 70",
)
"""The vertices of every path, a step a line."""


def printed_schedule() -> Schedule:
    """Return the schedule that the table prints."""
    octagon = named("octagon-8")
    words = [[tuple(map(int, word)) for word in line.split()] for line in PRINTED]
    steps = [[((path[0], path[-1]), path) for path in line] for line in words]
    return Schedule.of(octagon, collective("AAS", octagon), Rules(), steps)


def table4(work: Work) -> None:
    """Check the printed schedule with the independent checker."""
    schedule = printed_schedule()
    verdict = examine(schedule)
    report, bound = verdict.report, verdict.bound
    assert bound is not None
    work.claim("steps", 4, len(schedule.steps), by_formula=True)
    work.claim("messages printed, of 8 · 7 pairs", 56, schedule.messages, by_formula=True)
    work.claim("pairs served", 56, report.served)
    work.claim("conflicts that the checker finds", 0, report.count)
    for conflict in report.conflicts:
        work.claim("defect", None, conflict.words())
    work.claim("hops of the longest path", 2, report.longest)
    work.claim("hops that a path is longer than a shortest one", 0, report.detour)
    note = f"the paper's is too low: {bound.argument.words()}"
    work.claim("lower bound of steps", 3, bound.value, note, holds=bound.value == 3, partly=True)
    work.confirm("optimal", verdict.optimal)
    work.drawing = lambda: schedule_figure(schedule)
