"""Paper BTIN's Fig. 6: latency beside multicast and unicast (section 5.2)."""

from __future__ import annotations

from syncfabric.models.errors import PlanError
from syncfabric.models.timing.btin import height_bound, mean_height
from syncfabric.sim.experiments.frame import Axes, Parameter, Work, experiment
from syncfabric.sim.experiments.papers.btin_latency import (
    NAMES,
    Latencies,
    add_ratios,
    hardware,
    latencies,
    members_of,
    published,
    rtl_networks,
)
from syncfabric.sim.experiments.papers.btin_networks import Drawn, drawn_of

__all__ = [
    "BOTH",
    "CONNECTIVITY",
    "CURVES",
    "FITTED",
    "LINKS",
    "MEMBERS",
    "NETWORK",
    "NODES",
    "OVER",
    "PORTS",
    "RTL_SIZES",
    "SWITCHES",
    "TIME",
    "TIMES",
]

NODES = Parameter("nodes", 256, 2, 4096, "nodes of the network")
SWITCHES = Parameter("switches", 75, 2, 1024, "its switches")
LARGE = (
    Parameter("large_nodes", 1024, 2, 4096, "nodes of the larger network"),
    Parameter("large_switches", 300, 2, 1024, "its switches"),
)
PORTS = Parameter("ports", 8, 3, 16, "ports of every switch")
CONNECTIVITY = Parameter("connectivity", 0.75, 0.0, 1.0, "ports that are connected, of all")
MEMBERS = Parameter("members", 256, 2, 4096, "members of the groups that claims are about")
TIMES = (
    Parameter("t_s", 2000.0, 0, 100_000, "start-up of a message, ns; paper 2,000 to 10,000"),
    Parameter("t_p", 20.0, 0, 1000, "propagation over a link, ns; paper 20 to 40"),
    Parameter("t_r", 300.0, 0, 10_000, "delay of a switch, ns; paper 300 to 500"),
    Parameter("t_in", 0.0, 0, 100_000, "between messages that come in at the root, ns; 0: t_r / c"),
    Parameter("t_out", 0.0, 0, 100_000, "between those it sends by unicast, ns; 0: t_s"),
)
RTL_SIZES = (
    Parameter("rtl_nodes", 64, 2, 256, "nodes of a smaller network that --rtl measures"),
    Parameter("rtl_switches", 19, 2, 75, "its switches"),
)
NETWORK = (NODES, SWITCHES, PORTS, CONNECTIVITY, MEMBERS)
BOTH = (NODES, SWITCHES, *LARGE, PORTS, CONNECTIVITY, MEMBERS)
SIZE = "group size, members"
TIME = Axes(SIZE, "latency, µs", across_base=2, up_base=10)
LINKS = Axes(SIZE, "links passed in a barrier", across_base=2, up_base=10)
OVER = Axes(SIZE, "latency over BTIN's", 2, 10, prefix="multicast over BTIN, ")
CURVES = "The text of the paper gives no numbers of its curves"
FITTED = "Multicast: by a formula that was fitted to the paper's numbers."

AT_ONCE = {"btin": 11.5, "multicast": 120.5}
"""The paper's microseconds of all members of the larger network."""
FEW = 32
"""Members of a group that is no longer very small."""
LITTLE = 0.1
"""What differs by less is almost the same."""

READING = "read as T + (n - 1) {}: the paper does not say how messages come in at the root"
ITS_OWN = "by the paper's own 11.5 and 120.5 µs, 3.3 times and 3.8 times it is 1.2"


@experiment(
    "btin-fig6",
    "latency of BTIN, multicast and unicast against the size of the group",
    "paper BTIN, Fig. 6",
    runs=100,
    axes=(TIME, OVER),
    caption=f"{CURVES}: only those shown, and the ratios with 256 members. {FITTED}",
    parameters=(*BOTH, *TIMES, *RTL_SIZES),
    rtl=True,
)
def latency(work: Work) -> None:
    """Fig. 6: latency against the size of the group, and what the text says of heights.

    Sections 4.1 and 5.2. Networks of 256 nodes on 75 switches and of 1024 on 300.
    """
    small, large = drawn_of(work), drawn_of(work, "large_")
    measured = rtl_networks(work)
    both = [latencies(work, drawn) for drawn in (small, large)]
    for found in both:
        for scheme, name in NAMES.items():
            for size in found.survey.sizes:
                label = f"{name} ({found.survey.drawn.size}), ours"
                work.point(label, size, found.mean(scheme, size))
    for scheme, value in AT_ONCE.items():
        if published(work, value) is not None:
            work.point(f"{NAMES[scheme]} ({large.size}), paper", large.nodes, value)
    _latency_claims(work, *both)
    for found in both:
        _height_claims(work, found)
    for drawn in measured:
        _measure_latency(work, drawn)


def _latency_claims(work: Work, small: Latencies, large: Latencies) -> None:
    every = large.survey.drawn.nodes
    read = READING.format("t_in" if large.times.t_in else "t_r / c")
    for scheme, note in (("btin", ""), ("multicast", read)):
        words = f"{NAMES[scheme]}, all {every} members of ({large.survey.drawn.size}), µs"
        known = published(work, AT_ONCE[scheme])
        ours = large.mean(scheme, every)
        work.claim(words, known, ours, note, by_formula=scheme == "multicast")
    further = (large.mean("multicast", every) - large.mean("btin", every)) / (every - 1)
    known = published(work, (AT_ONCE["multicast"] - AT_ONCE["btin"]) / (every - 1))
    words = "what a further member adds to multicast, µs"
    work.claim(words, known, further, "the paper's: out of the two above", by_formula=True)
    ratios = []
    for found, value in ((small, 3.8), (large, 3.3)):
        size = members_of(work, found.survey.drawn.nodes)
        ratios.append(found.ratio("multicast", size))
        where, known = f"({found.survey.drawn.size})", published(work, value)
        curve = {n: found.ratio("multicast", n) for n in found.survey.sizes}
        add_ratios(work, where, curve, size, known)
        words = f"multicast over BTIN, {size} members of {where}"
        work.claim(words, known, ratios[-1], by_formula=True)
    ends = [found.ratio("multicast", found.survey.drawn.nodes) for found in (small, large)]
    work.confirm(
        "the larger the network, the greater that ratio",
        ratios[1] > ratios[0],
        "the paper's own 3.8 and 3.3 say no; where all nodes are members it is "
        f"{ends[0]:.1f} and {ends[1]:.1f}",
        by_formula=True,
    )
    grown = {
        scheme: large.mean(scheme, every) / small.mean(scheme, small.survey.drawn.nodes)
        for scheme in NAMES
    }
    for scheme, value, note in (("btin", 1.8, ITS_OWN), ("multicast", 3.3, "")):
        words = f"{NAMES[scheme]}'s latency, network and group quadrupled, times"
        known = published(work, value)
        work.claim(words, known, grown[scheme], note, by_formula=scheme == "multicast")
    words = "unicast's latency, network and group quadrupled, times"
    work.claim(words, None, grown["unicast"], by_formula=True)
    for found in (small, large):
        _shape_claims(work, found)


def _shape_claims(work: Work, found: Latencies) -> None:
    sizes, drawn = found.survey.sizes, found.survey.drawn
    above = [size for size in sizes if size >= FEW] or list(sizes)
    means = [found.mean("btin", size) for size in above]
    rise = max(means) / min(means) - 1
    work.confirm(
        f"BTIN on ({drawn.size}) is almost independent of the group's size, but for very small "
        "groups",
        rise < LITTLE,
        f"from {above[0]} members on it differs by {100 * rise:.1f} %",
    )
    spread = max(float(found.us("btin", size).std()) / found.mean("btin", size) for size in above)
    work.confirm(
        f"BTIN on ({drawn.size}) varies very little from run to run",
        spread < LITTLE,
        f"standard deviation at most {100 * spread:.1f} % of the mean, from {above[0]} members on",
    )
    slower = all(found.ratio("multicast", size) > 1 for size in sizes)
    words = f"BTIN on ({drawn.size}) is faster than multicast at all sizes"
    work.confirm(words, slower, by_formula=True)


def _height_claims(work: Work, found: Latencies) -> None:
    drawn, every = found.survey.drawn, found.survey.drawn.nodes
    kind = (drawn.ports, drawn.connectivity, every, drawn.switches)
    height = found.survey.mean("height", every)
    try:
        theorem, bound = (height_bound(*kind, n) for n in (every, drawn.switches))
        work.claim(
            f"height of BTIN, all members of ({drawn.size}): Theorem 1, log_b n",
            theorem,
            height,
            "the theorem takes n for the q - 1 of its proof, and leaves terms out; see the next",
        )
        work.claim(
            "the same: 1 + log_b((q - 1) / f k), a step of its proof", mean_height(*kind), height
        )
        work.confirm(f"it is at most log_b q = {bound:.1f} on average", height <= bound)
    except PlanError as error:
        work.claim(f"height of BTIN, all members of ({drawn.size})", None, height, str(error))
    size = 16 if 16 in found.survey.sizes else found.survey.sizes[0]
    trees = [found.survey.mean(field, size) for field in ("height", "updown_height")]
    work.confirm(
        f"a tree over that of up/down routing is not optimal, {size} members of ({drawn.size})",
        trees[1] > trees[0],
        f"height {trees[1]:.1f} beside {trees[0]:.1f}",
    )


def _measure_latency(work: Work, drawn: Drawn) -> None:
    """Add what the RTL takes, at the assumed clock."""
    us = {who: took.cycles / work.clock_mhz for who, took in hardware(work, drawn).items()}
    for (scheme, members), value in us.items():
        work.point(f"{NAMES[scheme]} ({drawn.size}), RTL", members, value)
    for scheme, name in NAMES.items():
        where = f"all {drawn.nodes} members of ({drawn.size})"
        words = f"{name}, {where}, RTL at {work.clock_mhz:g} MHz, µs"
        work.claim(words, None, us[scheme, drawn.nodes])
    start_ups = 2 * float(work.values["t_s"]) / 1000
    for words, extra, note in (
        ("RTL", 0.0, "no start-ups: messages come in by the one link of the root node"),
        ("RTL and two start-ups of t_s", start_ups, ""),
    ):
        btin, multicast = (us[scheme, drawn.nodes] + extra for scheme in ("btin", "multicast"))
        claim = f"multicast over BTIN, all {drawn.nodes} members of ({drawn.size}), {words}"
        work.claim(claim, None, multicast / btin, note)
