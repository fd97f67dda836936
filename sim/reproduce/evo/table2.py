"""Table 2: how often the lower bound is reached on all-port hypercubes."""

from __future__ import annotations

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Rules
from syncfabric.models.collectives.task import Task
from syncfabric.sim.reproduce.evo.runs import Entry, Method, make_runs
from syncfabric.sim.reproduce.evo.shortest import shortest, steps_of, why
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["PRINTED", "table2", "task"]

SIZES = (8, 16, 32, 64, 128)

PRINTED: dict[str, tuple[Method, dict[int, tuple[int, int]]]] = {
    "OAB": ("mboa", {8: (2, 100), 16: (2, 100), 32: (2, 100), 64: (3, 70), 128: (3, 50)}),
    "OAS": ("mboa", {8: (3, 100), 16: (4, 100), 32: (7, 90), 64: (11, 90), 128: (19, 90)}),
    "AAB": ("hgsa", {8: (3, 100), 16: (4, 100), 32: (7, 100), 64: (11, 80), 128: (19, 0)}),
    "AAS": ("mboa", {8: (4, 60), 16: (8, 30), 32: (16, 10), 64: (32, 0), 128: (64, 0)}),
}
"""The method, and for each size the lower bound and how often it was reached, per cent."""

FOOTNOTES = {("OAB", 64): 100, ("OAB", 128): 100}
"""How often HGSA reached what MBOA did not always reach, per cent."""


def table2(work: Work, sizes: tuple[int, ...] = SIZES) -> None:
    """Let the paper's methods look for schedules with as many steps as the lower bound.

    Parameters
    ----------
    work : Work
    sizes : tuple of int
        Of the hypercubes.
    """
    for kind, (method, entries) in PRINTED.items():
        for size in sizes:
            _entry(work, kind, size, method, *entries[size])


def task(kind: str, size: int) -> Task:
    """Return what is scheduled: with store and forward if all broadcast, as in section 3."""
    cube = named(f"hypercube-{size}")
    rules = Rules(switching="store-and-forward") if kind == "AAB" else Rules()
    return Task(cube, collective(kind, cube), rules)


def _entry(work: Work, kind: str, size: int, method: Method, steps: int, rate: int) -> None:
    what, name = f"{kind} on hypercube-{size}", method.upper()
    wanted = task(kind, size)
    work.tell(f"{what}: lower bounds")
    bound = lower_bounds(wanted)[0]
    words = bound.argument.words()
    work.claim(f"{what}: lower bound, steps", steps, bound.value, words, by_formula=True)
    entry = make_runs(work, method, wanted, bound.value)
    _rate(work, f"{what}, {name}", rate, entry)
    work.point(f"{kind} {name}, paper", size, rate)
    work.point(f"{kind} {name}, ours", size, entry.rate)
    if (kind, size) in FOOTNOTES:
        other = make_runs(work, "hgsa", wanted, bound.value)
        _rate(work, f"{what}, HGSA", FOOTNOTES[kind, size], other)
    if not entry.evaluations:
        found = shortest(work, wanted, what)
        work.claim(f"{what}, auto: steps", None, steps_of(found), why(found))


def _rate(work: Work, what: str, paper: int, entry: Entry) -> None:
    what = f"{what}: runs that reach it, %"
    work.claim(what, paper, entry.rate, entry.note(paper), aim="more")
