"""Fig. 10: Reflex on a cluster with InfiniBand, in LogGP."""

from __future__ import annotations

from itertools import pairwise

from syncfabric.models.timing.barriers import crossover, dissemination_ns, reflex_ns
from syncfabric.models.timing.loggp import LogGP
from syncfabric.sim.reproduce.experiment import Work
from syncfabric.sim.reproduce.reflex.tile64 import sizes

__all__ = ["cluster"]

FARTHEST = 65_536
SMALL = 5
"""Per cent of the time of the fewest nodes."""
ASSUMED = "the paper's values are not in its text; a hop of 100 ns is assumed"


def cluster(work: Work) -> None:
    """Fig. 10: all nodes arrive together; a node is a hop of the ring."""
    loggp = LogGP(**{key: float(work.values[key]) for key in ("L", "o", "g", "G", "h")})
    nodes = sizes(int(work.values["nodes"]))
    ring = {n: reflex_ns(n, loggp) for n in nodes}
    # L is from end to end, switches and all.
    rounds = {n: dissemination_ns(n, 0, loggp) for n in nodes}
    for n in nodes:
        work.point("Reflex", n, ring[n] / 1_000)
        work.point("dissemination (not in the paper)", n, rounds[n] / 1_000)
    work.by_formula = True  # of LogGP, with times that are assumed
    first, last = nodes[0], nodes[-1]
    slopes = [(ring[b] - ring[a]) / (b - a) for a, b in pairwise(nodes)]
    work.claim(
        "Reflex scales linearly: greatest slope over least",
        1,
        max(slopes) / min(slopes) if min(slopes) else None,
    )
    share = 100 * slopes[-1] / ring[first]
    small = share <= SMALL
    work.claim("Reflex, ns that a node more costs", "very small", slopes[-1], ASSUMED, holds=small)
    words, note = f"the same over the time of {first} nodes, %", f"very small: {SMALL} % at most"
    work.claim(words, "very small", share, note, holds=small)
    least = crossover(
        lambda n: reflex_ns(n, loggp), lambda n: dissemination_ns(n, 0, loggp), FARTHEST
    )
    work.claim(
        "Reflex scales to a large number of nodes: from how many it is slower than dissemination",
        "large",
        least,
        "the paper's figure has no other barrier; a line loses to a logarithm in the end, "
        f"looked for up to {FARTHEST:,}",
        holds=least is None,
        partly=True,
    )
    for n in (first, last):
        work.claim(f"Reflex, µs, {n:,} nodes", None, ring[n] / 1_000)
        work.claim(f"dissemination, µs, {n:,} nodes", None, rounds[n] / 1_000)
