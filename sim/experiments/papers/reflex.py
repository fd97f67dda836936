"""Paper Reflex's Figs. 6 and 8, in LogGP, and with ``--rtl`` on our hardware.

Its curves have no numbers in the text: shapes, orders, words are compared.
"""

from collections.abc import Iterable, Mapping

from syncfabric.models.timing.barriers import barrier_ns, crossover, reflex_late_ns
from syncfabric.models.timing.static import ring_period
from syncfabric.sim.experiments.frame import Axes, Parameter, Work, experiment
from syncfabric.sim.experiments.papers import reflex_barriers as hardware
from syncfabric.sim.experiments.papers.reflex_barriers import (
    ASSUMED,
    BUFFERS,
    BY_MEMORY,
    BY_NETWORK,
    CORES,
    FARTHEST,
    MEMORY,
    NETWORK,
    REFLEX,
    TREE,
    UDN,
    UNREAD,
    WIRES,
    at_sizes,
    barriers,
    buffered,
    cycle_ns,
    diameter,
    memory,
    network,
    ours,
    sizes,
    slashed,
)

MOST = Parameter("cores", 64, 4, 65_536, "the most cores of a curve")
CURVE = Axes("cores", "last arrival to last release, ns", across_base=2, up_base=10)
SPIN = "Tile Spin"
THOUSAND = 1_000
ZOOM = 10
"""Of the paper's second panel."""
MUCH = 5
"""Times that are "much" more."""
LEVEL = 1e-9
"""What times may differ by rounding, of one another."""
HOPS = "one for the notify, one for the release: the paper leaves out the release"
"""Why a core more costs two hops."""

Times = Mapping[str, Mapping[int, float]]
"""In ns, by barrier and cores."""


@experiment(
    "reflex-fig6",
    "barriers of TILE64 by the number of cores, all arriving together",
    "paper Reflex, Fig. 6",
    axes=(CURVE,),
    caption=f"{UNREAD} {ASSUMED}",
    parameters=(
        MOST,
        *NETWORK,
        *MEMORY,
        Parameter("wake", 10.0, 0.001, 1_000, "what Tile Sync takes to wake a core, µs"),
        BUFFERS,
    ),
    rtl=True,
)
def together(work: Work) -> None:
    """Fig. 6: all cores of a loop of barriers arrive together."""
    cores = sizes(work.whole("cores"))
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
    slow, spin, last = BY_MEMORY[:3], times[SPIN], cores[-1]

    def precede(first: Iterable[str], then: Iterable[str]) -> str:
        at = {n: ([times[a][n] for a in first], [times[b][n] for b in then]) for n in cores}
        return at_sizes({n: max(fast) < min(late) for n, (fast, late) in at.items()})

    what = "Tile Sync, centralized and dissemination are the slowest"
    note = "of Tile Sync and Tile Spin the text gives no algorithm: order only"
    work.claim(what, "yes", precede((SPIN, *BY_NETWORK), slow), note)
    slower = times["Tile Sync"][last] / spin[last]
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
    if stn.h:
        work.claim("Reflex, hops that a core more costs", 1, more / stn.h, HOPS)
    work.claim("a hop, ns", "1 to 2", stn.h)
    work.claim("Reflex, ns that a core more costs", "1 to 2", more, HOPS)
    few = (reflex(last + THOUSAND) - reflex(last)) / 1_000
    what = "Reflex, µs that a thousand cores more cost"
    work.claim(what, "a few", few, "1 to 10", holds=1 < few < 10)
    static, small = buffered(2, 2, 2), buffered(1, 2, 2)
    work.claim(
        "Reflex in a loop of barriers, hops that a core more costs",
        1,
        ring_period(last + 1, static) - ring_period(last, static),
        "our hardware's period, N + 6 cycles for a ring of N links: the next notify follows the "
        "release; Fig. 6 was measured in a loop",
    )
    same = ring_period(last, small) / ring_period(last, static)
    what = "smallest buffers over those of two places, time of a barrier in a loop"
    note = "a link of one bit does in both"
    work.claim(what, "the smallest suffice", same, note, holds=same <= 1 + LEVEL)
    grown = {name: curve[last] - curve[cores[1]] for name, curve in times.items()}
    spans = f"from {cores[1]} to {last:,} cores"
    what = f"ns that UDN/STN grows by over the least of those in shared memory, {spans}"
    by_memory = grown[UDN] / min(grown[name] for name in BY_MEMORY)
    work.claim(what, "below 1", by_memory, "scales really well")
    what = f"ns that Reflex grows by over UDN/STN's, {spans}"
    work.claim(what, "below 1", grown[REFLEX] / grown[UDN], "scales perfectly")
    took = times[REFLEX][last] / cycle_ns(work.values)
    work.claim(f"Reflex, cycles of the clock, {last:,} cores", None, took)


def _beyond(work: Work, times: Times) -> None:
    """Report what the paper does not have."""
    known, stn = barriers(work.values), network(work.values)
    last = max(times[REFLEX])
    for name, curve in times.items():
        work.claim(f"{name}, ns, {last:,} cores", None, curve[last])
    for name in (TREE, WIRES):
        ratio = times[REFLEX][last] / times[name][last]
        work.claim(f"Reflex's ring over {name}, {last:,} cores", None, ratio)
    others = {
        "in shared memory": known["dissemination"],
        "by messages, which the paper does not show": lambda cores: barrier_ns(
            "dissemination", cores, diameter(cores), stn
        ),
    }
    for where, other in others.items():
        what = f"cores from which on Reflex is slower than dissemination {where}"
        least = crossover(known[REFLEX], other, FARTHEST)
        work.claim(what, None, least, f"looked for up to {FARTHEST:,}")


def on_hardware(work: Work) -> None:
    """Add what arrivals in one cycle take, and barriers in a loop."""
    found = hardware.cycles(work, hardware.ALL, ("together", 0))
    said, drawn = slashed(CORES), f"drawn at {work.clock_mhz:g} MHz"
    for name, (took,) in found.items():
        _rtl_curve(work, name, took)
        work.claim(f"{name}, RTL: cycles at {said} cores, all together", None, slashed(took), drawn)
    (ring,), (udn,) = found[REFLEX], found[UDN]
    work.claim(
        "Reflex is faster than UDN/STN, RTL",
        "yes",
        at_sizes({n: a < b for n, a, b in zip(CORES, ring, udn, strict=True)}),
        "a message costs its software no cycles there, and the root takes one a cycle",
    )
    slope = (ring[-1] - ring[0]) / (CORES[-1] - CORES[0])
    work.claim("Reflex, RTL: hops that a core more costs", 1, slope, HOPS)
    loops = hardware.cycles(work, (REFLEX, TREE, WIRES), ("back_to_back", 0))
    for name, (took,) in loops.items():
        work.claim(f"{name}, RTL: cycles at {said} cores, in a loop", None, slashed(took))
    (period,) = loops[REFLEX]
    slope = (period[-1] - period[0]) / (CORES[-1] - CORES[0])
    work.claim("Reflex in a loop, RTL: hops that a core more costs", 1, slope)


def _rtl_curve(work: Work, name: str, took: Iterable[int]) -> None:
    """Add nanoseconds at the assumed clock."""
    ns = (cycles * 1_000 / work.clock_mhz for cycles in took)
    work.curve(f"{name}, RTL", zip(CORES, ns, strict=True))


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
        MOST,
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
    cores = sizes(work.whole("cores"))
    spin = {n: barrier_ns("tile-spin-late", n, diameter(n), shared) for n in cores}
    ring = {n: reflex_late_ns(n, 0, stn) for n in cores}
    mean = {n: sum(reflex_late_ns(n, i, stn) for i in range(n)) / n for n in cores}
    curves = {
        SPIN: spin,
        f"{REFLEX}, the root late (worst)": ring,
        f"{REFLEX}, mean over the late core": mean,
        # A late member reads what waits for it, and the last wire up is its own: nothing is saved.
        TREE: {n: added[TREE](n) for n in cores},
        WIRES: {n: added[WIRES](n) for n in cores},
    }
    for name, curve in curves.items():
        work.curve(name, curve.items())
    work.by_formula = True  # of LogGP, with times that are assumed
    last = cores[-1]
    faster = at_sizes({n: ring[n] < spin[n] for n in cores})
    work.claim("Reflex is faster than Tile Spin", "yes", faster)
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
        spins, reflexes = (_bend(curve, last) for curve in (spin, ring))
        words = f"ns a core more from {BEND} to {last:,} cores over 4 to {BEND}"
        severe, partly = spins >= SEVERE, spins > STRAIGHT
        what = f"{SPIN}, {words}"
        work.claim(what, "drops severely", spins, READS, holds=severe, partly=partly)
        what, straight = f"{REFLEX}, {words}", reflexes <= STRAIGHT
        work.claim(what, "continues to scale", reflexes, "a straight line", holds=straight)
    level = barrier_ns("reflex", last, 0, stn)
    what = f"Reflex with one core late over all together, {last:,} cores: the worst"
    note = "does not come out: with a late root it takes as long as all together, with others less"
    work.claim(what, "above 1", ring[last] / level, note)
    what = f"the same, mean over the late core, {last:,} cores"
    work.claim(what, None, mean[last] / level)
    for name, curve in curves.items():
        work.claim(f"{name}, ns, {last:,} cores", None, curve[last])
    work.by_formula = False
    if work.rtl:
        _late_on_hardware(work)


def _bend(curve: Mapping[int, float], last: int) -> float:
    """Return the slope from ``BEND`` cores on over that before."""
    before = (curve[BEND] - curve[4]) / (BEND - 4)
    return (curve[last] - curve[BEND]) / (last - BEND) / before if before else 1.0


def _late_on_hardware(work: Work) -> None:
    """Add what one late core costs, the worst over which one."""
    jitter = work.whole("jitter")
    found = hardware.cycles(work, hardware.ALL, ("late", jitter), ("together", 0))
    said, drawn = slashed(CORES), f"drawn at {work.clock_mhz:g} MHz"
    for name, (alone, all_) in found.items():
        _rtl_curve(work, name, alone)
        what = f"{name}, RTL: cycles at {said} cores, one late, the worst"
        work.claim(what, None, slashed(alone), drawn)
        what = f"{name}, RTL: one late over all together, {CORES[-1]} cores"
        work.claim(what, "above 1", alone[-1] / all_[-1])
