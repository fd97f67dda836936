"""Table 5: many-to-many collectives on the fat Octagon with one port a processor."""

from __future__ import annotations

from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Rules
from syncfabric.models.collectives.task import Task
from syncfabric.sim.reproduce.evo.shortest import shortest, steps_of, why
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["GROUPS", "PRINTED", "table5"]

EIGHT = tuple(range(1, 9))
"""Processors in a row that straddle routers: 1, 2, 2, 2, 1."""
OTHERS = (*range(9, 16), 0)
ALL = tuple(range(16))

GROUPS = {
    "8 to the same 8": (EIGHT, EIGHT),
    "8 to the other 8": (EIGHT, OTHERS),
    "8 to all 16": (EIGHT, ALL),
    "all 16 to all 16": (ALL, ALL),
}
"""Senders and receivers."""

PRINTED = {
    "8 to the same 8": {"MNB": (7, 7), "MNS": (7, 10)},
    "8 to the other 8": {"MNB": (8, 8), "MNS": (8, 10)},
    "8 to all 16": {"MNB": (8, 8), "MNS": (11, 15)},
    "all 16 to all 16": {"MNB": (15, 15), "MNS": (15, 17)},
}
"""Lower bound and steps."""

NON_MINIMAL = {("8 to the same 8", "MNS"): 7}
"""Steps with non-minimal paths, where the paper gives them."""

RULES = {"MNB": Rules(1, switching="store-and-forward"), "MNS": Rules(1)}
HOPS = 1
"""That non-minimal paths may be longer."""


def table5(work: Work) -> None:
    """Find the fewest steps, with minimal and with non-minimal paths."""
    octagon = named("fat-octagon-16")
    for words, printed in PRINTED.items():
        senders, receivers = GROUPS[words]
        for kind, (low, high) in printed.items():
            what = f"{kind}, {words}"
            made = collective(kind, octagon, senders, receivers)
            found = shortest(work, Task(octagon, made, RULES[kind]), what)
            bound = found.bounds[0]
            note = bound.argument.words()
            if bound.value > low:
                note = f"more than the paper's: {note}"
            words = f"{what}: lower bound, steps"
            tight, above = bound.value == low, bound.value > low
            work.claim(words, low, bound.value, note, holds=tight, partly=above)
            work.claim(f"{what}: steps", high, steps_of(found), why(found), aim="less")
            what += f", paths of {HOPS} hop more allowed"
            found = shortest(work, Task(octagon, made, RULES[kind], HOPS), what)
            paper = NON_MINIMAL.get((words, kind))
            work.claim(f"{what}: steps", paper, steps_of(found), why(found), aim="less")
