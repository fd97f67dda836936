"""Fig. 6: barriers of TILE64 by the number of cores, in LogGP; with ``--rtl`` on our hardware."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.timing.barriers import crossover, dissemination_ns
from syncfabric.models.timing.reflex import ring_period
from syncfabric.sim.reproduce.experiment import Work
from syncfabric.sim.reproduce.reflex.fig6_hardware import HOPS, on_hardware
from syncfabric.sim.reproduce.reflex.tile64 import (
    BY_MEMORY,
    BY_NETWORK,
    REFLEX,
    TREE,
    WIRES,
    barriers,
    cycle_ns,
    diameter,
    network,
    ours,
    sizes,
)
from syncfabric.sim.reproduce.reflex.words import at_sizes

__all__ = ["together"]

THOUSAND = 1_000
FARTHEST = 65_536
"""Cores up to which it is looked for where Reflex falls behind."""
ZOOM = 10
"""Of the paper's second panel."""
MUCH = 5
"""Times that are "much" more."""
LEVEL = 1e-9
"""What times may differ by rounding, of one another."""

Times = Mapping[str, Mapping[int, float]]
"""In ns, by barrier and cores."""


def together(work: Work) -> None:
    """Fig. 6: all cores of a loop of barriers arrive together."""
    cores = sizes(int(work.values["cores"]))
    paper = {name: {n: time(n) for n in cores} for name, time in barriers(work.values).items()}
    added = {name: {n: time(n) for n in cores} for name, time in ours(work.values).items()}
    for name, times in (paper | added).items():
        work.curve(name, times.items())
    work.by_formula = True  # of LogGP, with times that are assumed
    _orders(work, paper)
    _scaling(work, paper)
    _beyond(work, paper | added)
    work.by_formula = False
    if work.rtl:
        on_hardware(work)


def _orders(work: Work, times: Times) -> None:
    cores = list(times[REFLEX])
    slow, spin = BY_MEMORY[:3], BY_MEMORY[3]

    def precede(first: Iterable[str], then: Iterable[str]) -> str:
        at = {n: ([times[a][n] for a in first], [times[b][n] for b in then]) for n in cores}
        return at_sizes({n: max(fast) < min(late) for n, (fast, late) in at.items()})

    what = "Tile Sync, centralized and dissemination are the slowest"
    note = "of Tile Sync and Tile Spin the text gives no algorithm: order only"
    work.claim(what, "yes", precede((spin, *BY_NETWORK), slow), note)
    last = cores[-1]
    slower = times["Tile Sync"][last] / times[spin][last]
    what, note = f"Tile Sync over Tile Spin, {last:,} cores", f"order only; much: {MUCH} times"
    work.claim(what, "much above 1", slower, note, holds=slower >= MUCH)
    what = "UDN/STN and Reflex are faster than all four in shared memory"
    work.claim(what, "yes", precede(BY_NETWORK, BY_MEMORY))
    highest = max(time for curve in times.values() for time in curve.values())
    by_network = max(time for name in BY_NETWORK for time in times[name].values())
    what = "highest of (a) over highest by network, which (b) zooms in on"
    work.claim(what, f"at least {ZOOM}", highest / by_network, "the paper's is the zoom")
    least = {n: min(curve[n] for curve in times.values()) * (1 + LEVEL) for n in cores}
    ahead = at_sizes({n: times[REFLEX][n] <= least[n] for n in cores})
    note = "or is level; the model has no software around the network's own instructions"
    work.claim("Reflex outperforms all others", "yes", ahead, note)
    what = "pthreads, UPC and MPI give identical results"
    work.claim(what, "yes", None, "no language is modelled")


def _scaling(work: Work, times: Times) -> None:
    reflex, stn = barriers(work.values)[REFLEX], network(work.values)
    cores = list(times[REFLEX])
    last = cores[-1]
    more = reflex(last + 1) - reflex(last)
    cycle = cycle_ns(work.values)
    if stn.h:
        work.claim("Reflex, hops that a core more costs", 1, more / stn.h, HOPS)
    work.claim("a hop, ns", "1 to 2", stn.h)
    work.claim("Reflex, ns that a core more costs", "1 to 2", more, HOPS)
    few = (reflex(last + THOUSAND) - reflex(last)) / 1_000
    what = "Reflex, µs that a thousand cores more cost"
    work.claim(what, "a few", few, "1 to 10", holds=1 < few < 10)
    static = StaticSpec(kind="static", width=2, height=2)
    small = static.model_copy(
        update=dict.fromkeys(("switch_buffer", "core_buffer", "injection_buffer"), 1)
    )
    work.claim(
        "Reflex in a loop of barriers, hops that a core more costs",
        1,
        ring_period(last + 1, static) - ring_period(last, static),
        "our hardware's period, N + 6 cycles for a ring of N links: the next notify follows the "
        "release; Fig. 6 was measured in a loop",
    )
    same = ring_period(last, small) / ring_period(last, static)
    work.claim(
        "smallest buffers over those of two places, time of a barrier in a loop",
        "the smallest suffice",
        same,
        "a link of one bit does in both",
        holds=same <= 1 + LEVEL,
    )
    grown = {name: curve[last] - curve[cores[1]] for name, curve in times.items()}
    spans = f"from {cores[1]} to {last:,} cores"
    work.claim(
        f"ns that UDN/STN grows by over the least of those in shared memory, {spans}",
        "below 1",
        grown["UDN/STN"] / min(grown[name] for name in BY_MEMORY),
        "scales really well",
    )
    work.claim(
        f"ns that Reflex grows by over UDN/STN's, {spans}",
        "below 1",
        grown[REFLEX] / grown["UDN/STN"],
        "scales perfectly",
    )
    work.claim(f"Reflex, cycles of the clock, {last:,} cores", None, times[REFLEX][last] / cycle)


def _beyond(work: Work, times: Times) -> None:
    """Tell what the paper does not have."""
    known, stn = barriers(work.values), network(work.values)
    last = max(times[REFLEX])
    for name, curve in times.items():
        work.claim(f"{name}, ns, {last:,} cores", None, curve[last])
    for name in (TREE, WIRES):
        ratio = times[REFLEX][last] / times[name][last]
        work.claim(f"Reflex's ring over {name}, {last:,} cores", None, ratio)
    others = {
        "dissemination in shared memory": known["dissemination"],
        "dissemination by messages, which the paper does not show": lambda cores: dissemination_ns(
            cores, diameter(cores), stn
        ),
    }
    for what, other in others.items():
        work.claim(
            f"cores from which on Reflex is slower than {what}",
            None,
            crossover(known[REFLEX], other, FARTHEST),
            f"looked for up to {FARTHEST:,}",
        )
