"""Paper Reflex's Figs. 6 and 8, in LogGP, and with ``--rtl`` on our hardware.

Its curves have no numbers in the text: shapes, orders, words are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.timing.barriers import (
    crossover,
    dissemination_ns,
    reflex_late_ns,
    reflex_ns,
)
from syncfabric.models.timing.memory_barriers import tile_spin_late_ns
from syncfabric.models.timing.reflex import ring_period
from syncfabric.sim.experiments.frame import Axes, Parameter, Work, experiment
from syncfabric.sim.experiments.papers import reflex_barriers as hardware
from syncfabric.sim.experiments.papers.reflex_barriers import (
    BY_MEMORY,
    BY_NETWORK,
    REFLEX,
    TREE,
    WIRES,
    at_sizes,
    barriers,
    cycle_ns,
    diameter,
    memory,
    network,
    ours,
    sizes,
    slashed,
)

__all__ = ["ASSUMED", "BUFFERS", "FARTHEST", "MEMORY", "NETWORK", "UNREAD"]

CORES = Parameter("cores", 64, 4, 65_536, "the most cores of a curve")
NETWORK = (
    Parameter("clock", 700.0, 1, 10_000, "TILE64's clock, MHz"),
    Parameter("L", 1.0, 0, 10_000, "latency of its networks, hops left out, cycles of the clock"),
    Parameter("o", 1.0, 0, 10_000, "what a core spends on sending or receiving a message, cycles"),
    Parameter("g", 2.0, 0, 10_000, "between two messages of a core, cycles"),
    Parameter("G", 0.25, 0, 100, "between two bytes of a message, cycles"),
    Parameter("h", 1.0, 0, 1_000, "a hop, cycles"),
)
MEMORY = (
    Parameter("memory_L", 30.0, 0, 10_000, "latency of a store or one way of a load, cycles"),
    Parameter("memory_o", 2.0, 0, 10_000, "what a core spends on it, cycles"),
    Parameter("memory_g", 2.0, 0, 10_000, "between accesses that one home serves, cycles"),
)
BUFFERS = Parameter("buffers", 2, 1, 16, "places of all buffers of the static network, for trees")
CURVE = Axes("cores", "last arrival to last release, ns", across_base=2, up_base=10)
UNREAD = "The text of the paper gives no numbers of its curves: none are shown."
ASSUMED = "Times of LogGP are assumed, except clock and hop of TILE64."

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


@experiment(
    "reflex-fig6",
    "barriers of TILE64 by the number of cores, all arriving together",
    "paper Reflex, Fig. 6",
    axes=(CURVE,),
    caption=f"{UNREAD} {ASSUMED}",
    parameters=(
        CORES,
        *NETWORK,
        *MEMORY,
        Parameter("wake", 10.0, 0.001, 1_000, "what Tile Sync takes to wake a core, µs"),
        BUFFERS,
    ),
    rtl=True,
)
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


HOPS = "one for the notify, one for the release: the paper leaves out the release"
"""Why a core more costs two hops."""


def on_hardware(work: Work) -> None:
    """Add what arrivals in one cycle take, and barriers in a loop."""
    cycle = 1_000 / work.clock_mhz
    found = hardware.cycles(work, hardware.ALL, [("together", 0)])
    cores = [side * side for side in hardware.SIDES]
    said = slashed(cores)
    for name, rows in found.items():
        ns = (cycles * cycle for (cycles,) in rows)
        work.curve(f"{name}, RTL", zip(cores, ns, strict=True))
        text = slashed(cycles for (cycles,) in rows)
        words = f"{name}, RTL: cycles at {said} cores, all together"
        work.claim(words, None, text, f"drawn at {work.clock_mhz:g} MHz")
    ring = [cycles for (cycles,) in found[REFLEX]]
    udn = [cycles for (cycles,) in found["UDN/STN"]]
    work.claim(
        "Reflex is faster than UDN/STN, RTL",
        "yes",
        at_sizes({n: a < b for n, a, b in zip(cores, ring, udn, strict=True)}),
        "a message costs its software no cycles there, and the root takes one a cycle",
    )
    slope = (ring[-1] - ring[0]) / (cores[-1] - cores[0])
    work.claim("Reflex, RTL: hops that a core more costs", 1, slope, HOPS)
    names = (REFLEX, TREE, WIRES)
    loops = hardware.cycles(work, names, [("back_to_back", 0)])
    for name, rows in loops.items():
        text = slashed(cycles for (cycles,) in rows)
        work.claim(f"{name}, RTL: cycles at {said} cores, in a loop", None, text)
    period = [cycles for (cycles,) in loops[REFLEX]]
    slope = (period[-1] - period[0]) / (cores[-1] - cores[0])
    work.claim("Reflex in a loop, RTL: hops that a core more costs", 1, slope)


SPIN = "Tile Spin"
BEND = 16
"""Cores up to which the paper has both perform well."""
SEVERE, STRAIGHT = 2.0, 1.1
"""Slopes over those before from which on scaling drops severely, and up to which it goes on."""
READS = "the text gives no algorithm; here waiting cores' reads take all of the flag's home"


@experiment(
    "reflex-fig8",
    "Reflex and Tile Spin with one core late",
    "paper Reflex, Figs. 7 and 8",
    axes=(CURVE,),
    caption=f"{UNREAD} {ASSUMED}",
    parameters=(
        CORES,
        *NETWORK,
        *MEMORY,
        BUFFERS,
        Parameter("jitter", 200, 1, 10_000, "how late that core is, in --rtl's cycles"),
    ),
    rtl=True,
)
def late(work: Work) -> None:
    """Fig. 8: one core comes when all others have waited long."""
    stn, shared, added = network(work.values), memory(work.values), ours(work.values)
    cores = sizes(int(work.values["cores"]))
    worst = f"{REFLEX}, the root late (worst)"
    mean = f"{REFLEX}, mean over the late core"
    curves = {
        SPIN: {n: tile_spin_late_ns(n, diameter(n), shared) for n in cores},
        worst: {n: reflex_late_ns(n, 0, stn) for n in cores},
        mean: {n: sum(reflex_late_ns(n, i, stn) for i in range(n)) / n for n in cores},
        # A late member reads what waits for it, and the last wire up is its own: nothing is saved.
        TREE: {n: added[TREE](n) for n in cores},
        WIRES: {n: added[WIRES](n) for n in cores},
    }
    for name, curve in curves.items():
        work.curve(name, curve.items())
    work.by_formula = True  # of LogGP, with times that are assumed
    last = cores[-1]
    spin, ring = curves[SPIN], curves[worst]
    work.claim(
        "Reflex is faster than Tile Spin", "yes", at_sizes({n: ring[n] < spin[n] for n in cores})
    )
    busy = (n for n in range(2, FARTHEST) if n * shared.g > shared.access_ns(diameter(n)))
    first = next(busy, None)
    wanted = shared.access_ns(diameter(BEND)) / BEND / cycle_ns(work.values)
    work.claim(
        "cores up to which Tile Spin scales well",
        BEND,
        None if first is None else first - 1,
        f"{READS}, where P g is more than an access takes; memory_g = {wanted:.3g} puts it there",
    )
    if last > BEND:
        for name, curve, words in (
            (SPIN, spin, "drops severely"),
            (REFLEX, ring, "continues to scale"),
        ):
            before = (curve[BEND] - curve[4]) / (BEND - 4)
            after = (curve[last] - curve[BEND]) / (last - BEND)
            bend = after / before if before else 1.0
            work.claim(
                f"{name}, ns a core more from {BEND} to {last:,} cores over 4 to {BEND}",
                words,
                bend,
                READS if name == SPIN else "a straight line",
                holds=bend >= SEVERE if name == SPIN else bend <= STRAIGHT,
                partly=bend > STRAIGHT and name == SPIN,
            )
    level = reflex_ns(last, stn)
    work.claim(
        f"Reflex with one core late over all together, {last:,} cores: the worst",
        "above 1",
        ring[last] / level,
        "does not come out: with a late root it takes as long as all together, with others less",
    )
    work.claim(
        f"the same, mean over the late core, {last:,} cores", None, curves[mean][last] / level
    )
    for name, curve in curves.items():
        work.claim(f"{name}, ns, {last:,} cores", None, curve[last])
    work.by_formula = False
    if work.rtl:
        _late_on_hardware(work)


def _late_on_hardware(work: Work) -> None:
    """Add what one late core costs, the worst over which one."""
    wishes: list[hardware.Wish] = [("late", int(work.values["jitter"])), ("together", 0)]
    found = hardware.cycles(work, hardware.ALL, wishes)
    cores = [side * side for side in hardware.SIDES]
    said = slashed(cores)
    for name, rows in found.items():
        for n, (alone, _) in zip(cores, rows, strict=True):
            work.point(f"{name}, RTL", n, alone * 1_000 / work.clock_mhz)
        text = slashed(alone for alone, _ in rows)
        words = f"{name}, RTL: cycles at {said} cores, one late, the worst"
        work.claim(words, None, text, f"drawn at {work.clock_mhz:g} MHz")
        ratio = rows[-1][0] / rows[-1][1]
        work.claim(f"{name}, RTL: one late over all together, {cores[-1]} cores", "above 1", ratio)
