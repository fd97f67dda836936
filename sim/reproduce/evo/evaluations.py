"""Figs. 9 and 10: evaluations until the optimum is found, over the size of the hypercube."""

from __future__ import annotations

from itertools import pairwise

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.sim.reproduce.evo.runs import Entry, make_runs
from syncfabric.sim.reproduce.evo.table2 import PRINTED, task
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["fig9", "fig10"]

UNREAD = "the paper's values are in a picture only, and not in its text"


def fig9(work: Work, sizes: tuple[int, ...] = (8, 16, 32, 64)) -> None:
    """Let HGSA look for AAB."""
    _curve(work, "AAB", sizes)


def fig10(work: Work, sizes: tuple[int, ...] = (8, 16, 32)) -> None:
    """Let MBOA look for AAS."""
    _curve(work, "AAS", sizes)


def _curve(work: Work, kind: str, sizes: tuple[int, ...]) -> None:
    method = PRINTED[kind][0]
    means: list[float] = []
    entries: list[Entry] = []
    label = f"{kind} by {method.upper()}"
    for size in sizes:
        wanted = task(kind, size)
        entry = make_runs(work, method, wanted, lower_bounds(wanted)[0].value)
        note = f"{len(entry.evaluations)} of {entry.runs} runs found it"
        claim = f"{label} on hypercube-{size}: mean evaluations"
        work.claim(claim, None, entry.mean, note)
        if entry.mean is not None:
            work.point(label, size, entry.mean)
            means.append(entry.mean)
            entries.append(entry)
    if len(means) < 2:
        return
    grows = all(low < high for low, high in pairwise(means))
    claim = f"{label}: every doubling takes more evaluations"
    work.confirm(claim, grows, UNREAD)
    factors = [high / low for low, high in pairwise(means)]
    work.claim(f"{label}: times more evaluations a doubling, at most", None, max(factors))
    seconds = [second for entry in entries for second in entry.seconds]
    words = f"{min(seconds):.2g} s to {max(seconds):.2g} s"
    what, paper = f"{label}: time of a run", "few seconds to several hours"
    quick = max(seconds) >= 1
    work.claim(what, paper, words, "another machine", holds=quick, partly=True)
