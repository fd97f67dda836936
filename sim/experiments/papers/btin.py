"""Paper BTIN's Figs. 6 to 8: latency and traffic beside multicast and unicast (section 5.2)."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from syncfabric.models.errors import PlanError
from syncfabric.models.timing.btin import Method, heights
from syncfabric.sim.experiments.frame import Axes, Parameter, Work, experiment
from syncfabric.sim.experiments.papers.btin_networks import (
    CONNECTIVITY,
    FITTED,
    MEMBERS,
    NAMES,
    NODES,
    PORTS,
    SWITCHES,
    TIMES,
    Drawn,
    Survey,
    drawn_of,
    hardware,
    members_of,
    rtl_networks,
    survey,
)

LARGE = (
    Parameter("large_nodes", 1024, 2, 4096, "nodes of the larger network"),
    Parameter("large_switches", 300, 2, 1024, "its switches"),
)
RTL_SIZES = (
    Parameter("rtl_nodes", 64, 2, 256, "nodes of a smaller network that --rtl measures"),
    Parameter("rtl_switches", 19, 2, 75, "its switches"),
)
BOTH = (NODES, SWITCHES, *LARGE, PORTS, CONNECTIVITY, MEMBERS)
OURS = ("rtl_", "t_in", "t_out")
"""How the names of parameters begin that the paper does not have."""
SIZE = "group size, members"
TIME = Axes(SIZE, "latency, µs", across_base=2, up_base=10)
LINKS = Axes(SIZE, "links passed in a barrier", across_base=2, up_base=10)
OVER = Axes(SIZE, "latency over BTIN's", 2, 10, prefix="multicast over BTIN, ")
CURVES = "The text of the paper gives no numbers of its curves"

MERGED: tuple[Method, Method] = ("btin", "multicast")
AT_ONCE: dict[Method, float] = {"btin": 11.5, "multicast": 120.5}
"""The paper's microseconds of all members of the larger network."""
FEW = 32
"""Members of a group that is no longer very small."""
LITTLE = 0.1
"""What differs by less is almost the same."""
READING = "read as T + (n - 1) {}: the paper does not say how messages come in at the root"
ITS_OWN = "by the paper's own 11.5 and 120.5 µs, 3.3 times and 3.8 times it is 1.2"


def published(work: Work, value: float) -> float | None:
    """Return a value of the paper; None where parameters are not those that it has it for.

    What is not the paper's to begin with, as how messages follow each other, may be changed.
    """
    parameters = [p for p in work.experiment.parameters if not p.name.startswith(OURS)]
    return value if all(work.values[p.name] == p.value for p in parameters) else None


def add_ratios(
    work: Work, label: str, ratios: Mapping[int, float], size: int, paper: float | None
) -> None:
    """Add a curve of multicast over BTIN by members, and the paper's point if it has one."""
    work.curve(f"multicast over BTIN, {label}, ours", ratios.items())
    if paper is not None:
        work.point(f"multicast over BTIN, {label}, paper", size, paper)


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
    kinds, measured = [drawn_of(work), drawn_of(work, "large_")], rtl_networks(work)
    small, large = both = [survey(work, drawn) for drawn in kinds]
    for found in both:
        for scheme, name in NAMES.items():
            curve = ((size, found.mean_us(scheme, size)) for size in found.sizes)
            work.curve(f"{name} ({found.drawn.size}), ours", curve)
    for scheme, value in AT_ONCE.items():
        if published(work, value) is not None:
            label = f"{NAMES[scheme]} ({large.drawn.size}), paper"
            work.point(label, large.drawn.nodes, value)
    _latency_claims(work, small, large)
    for found in both:
        _height_claims(work, found)
    for drawn in measured:
        _measure_latency(work, drawn)


def _latency_claims(work: Work, small: Survey, large: Survey) -> None:
    every, where = large.drawn.nodes, large.drawn.size
    at_once = {scheme: large.mean_us(scheme, every) for scheme in NAMES}
    read = READING.format("t_in" if large.times.t_in else "t_r / c")
    for scheme, value in AT_ONCE.items():
        fitted = scheme == "multicast"
        words = f"{NAMES[scheme]}, all {every} members of ({where}), µs"
        note = read if fitted else ""
        work.claim(words, published(work, value), at_once[scheme], note, by_formula=fitted)
    further = (at_once["multicast"] - at_once["btin"]) / (every - 1)
    known = published(work, (AT_ONCE["multicast"] - AT_ONCE["btin"]) / (every - 1))
    words = "what a further member adds to multicast, µs"
    work.claim(words, known, further, "the paper's: out of the two above", by_formula=True)
    ratios = []
    for found, value in ((small, 3.8), (large, 3.3)):
        size, where = members_of(work, found.drawn), f"({found.drawn.size})"
        known = published(work, value)
        ratios.append(found.ratio("multicast", size))
        add_ratios(work, where, {n: found.ratio("multicast", n) for n in found.sizes}, size, known)
        words = f"multicast over BTIN, {size} members of {where}"
        work.claim(words, known, ratios[-1], by_formula=True)
    ends = [found.ratio("multicast", found.drawn.nodes) for found in (small, large)]
    work.confirm(
        "the larger the network, the greater that ratio",
        ratios[1] > ratios[0],
        "the paper's own 3.8 and 3.3 say no; where all nodes are members it is "
        f"{ends[0]:.1f} and {ends[1]:.1f}",
        by_formula=True,
    )
    papers: dict[Method, tuple[float | None, str]] = {
        "btin": (published(work, 1.8), ITS_OWN),
        "multicast": (published(work, 3.3), ""),
        "unicast": (None, ""),
    }
    for scheme, (known, note) in papers.items():
        grown = at_once[scheme] / small.mean_us(scheme, small.drawn.nodes)
        words = f"{NAMES[scheme]}'s latency, network and group quadrupled, times"
        work.claim(words, known, grown, note, by_formula=scheme != "btin")
    for found in (small, large):
        _shape_claims(work, found)


def _shape_claims(work: Work, found: Survey) -> None:
    where = f"BTIN on ({found.drawn.size})"
    above = [size for size in found.sizes if size >= FEW] or list(found.sizes)
    means = [found.mean_us("btin", size) for size in above]
    rise = max(means) / min(means) - 1
    work.confirm(
        f"{where} is almost independent of the group's size, except in very small groups",
        rise < LITTLE,
        f"from {above[0]} members on it differs by {100 * rise:.1f} %",
    )
    deviations = [float(found.us("btin", size).std()) for size in above]
    spread = max(apart / mean for apart, mean in zip(deviations, means, strict=True))
    work.confirm(
        f"{where} varies very little from run to run",
        spread < LITTLE,
        f"standard deviation at most {100 * spread:.1f} % of the mean, from {above[0]} members on",
    )
    faster = all(found.ratio("multicast", size) > 1 for size in found.sizes)
    work.confirm(f"{where} is faster than multicast at all sizes", faster, by_formula=True)


def _height_claims(work: Work, found: Survey) -> None:
    drawn, every = found.drawn, found.drawn.nodes
    height = found.mean("height", every)
    words = f"height of BTIN, all members of ({drawn.size})"
    try:
        known = heights(drawn.ports, drawn.connectivity, every, drawn.switches)
        note = "the theorem takes n for the q - 1 of its proof, and leaves terms out; see the next"
        work.claim(f"{words}: Theorem 1, log_b n", known.theorem, height, note)
        step = "the same: 1 + log_b((q - 1) / f k), a step of its proof"
        work.claim(step, known.mean, height)
        words = f"it is at most log_b q = {known.bound:.1f} on average"
        work.confirm(words, height <= known.bound)
    except PlanError as error:
        work.claim(words, None, height, str(error))
    size = 16 if 16 in found.sizes else found.sizes[0]
    trees = [found.mean(field, size) for field in ("height", "updown_height")]
    work.confirm(
        f"a tree over that of up/down routing is not optimal, {size} members of ({drawn.size})",
        trees[1] > trees[0],
        f"height {trees[1]:.1f} beside {trees[0]:.1f}",
    )


def _measure_latency(work: Work, drawn: Drawn) -> None:
    """Add what the RTL takes, at the assumed clock."""
    us = {scheme: cycles / work.clock_mhz for scheme, (cycles, _) in hardware(work, drawn).items()}
    for (scheme, members), value in us.items():
        work.point(f"{NAMES[scheme]} ({drawn.size}), RTL", members, value)
    where = f"all {drawn.nodes} members of ({drawn.size})"
    for scheme, name in NAMES.items():
        words = f"{name}, {where}, RTL at {work.clock_mhz:g} MHz, µs"
        work.claim(words, None, us[scheme, drawn.nodes])
    start_ups = 2 * float(work.values["t_s"]) / 1000
    for words, extra, note in (
        ("RTL", 0.0, "no start-ups: messages come in by the one link of the root node"),
        ("RTL and two start-ups of t_s", start_ups, ""),
    ):
        btin, multicast = (us[scheme, drawn.nodes] + extra for scheme in MERGED)
        work.claim(f"multicast over BTIN, {where}, {words}", None, multicast / btin, note)


MESSAGE_BYTES = 2
"""Of a barrier's message (paper BTIN, section 3.2)."""
TRIED = (
    "tried too: the rows below; set-up added; messages weighted by flits of 1 to 4 bytes, with a "
    "list or a bit string of addresses; flooding"
)


@experiment(
    "btin-fig7",
    "links between switches that the messages of one barrier pass",
    "paper BTIN, Fig. 7",
    runs=100,
    axes=(LINKS, replace(OVER, up="links passed over BTIN's")),
    caption=f"{CURVES}: only the ratios with 256 members.",
    parameters=(*BOTH, *RTL_SIZES),
    rtl=True,
)
def traffic(work: Work) -> None:
    """Fig. 7: links between switches that the messages of one barrier pass (section 5.2).

    Packets take up/down routes, as section 2.1 says. The paper's factors do not come out of this
    count, nor of any other of messages and links that was tried; some have rows of their own.
    """
    kinds, measured = [drawn_of(work), drawn_of(work, "large_")], rtl_networks(work)
    small, large = both = [survey(work, drawn) for drawn in kinds]
    for found in both:
        for scheme, name in NAMES.items():
            curve = ((size, found.mean(scheme, size)) for size in found.sizes)
            work.curve(f"{name} ({found.drawn.size})", curve)
    ratios = [_traffic_ratio(work, small, 46.8), _traffic_ratio(work, large, 88.6)]
    work.confirm(
        "the larger the network, the greater the traffic's ratio",
        ratios[1] > ratios[0],
        "a larger network spreads as many members over more switches, where less can be merged",
    )
    for found in both:
        where = f"({found.drawn.size})"
        less = all(found.mean("btin", s) < found.mean("multicast", s) for s in found.sizes)
        work.confirm(f"BTIN has less traffic than multicast on {where}, at all sizes", less)
        grows = all(
            found.mean(scheme, fewer) < found.mean(scheme, more)
            for scheme in MERGED
            for fewer, more in pairwise(found.sizes)
        )
        work.confirm(f"traffic grows with the group on {where}, in both schemes", grows)
    grown = {
        scheme: large.mean(scheme, large.drawn.nodes) / small.mean(scheme, small.drawn.nodes)
        for scheme in NAMES
    }
    work.confirm(
        "BTIN's traffic grows less than multicast's, network and group quadrupled",
        grown["btin"] < grown["multicast"],
        ", ".join(f"{NAMES[scheme]} {times:.1f} times" for scheme, times in grown.items()),
    )
    for drawn in measured:
        links = {scheme: passed for scheme, (_, passed) in hardware(work, drawn).items()}
        for (scheme, members), passed in links.items():
            work.point(f"{NAMES[scheme]} ({drawn.size}), RTL", members, passed)
        ratio = links["multicast", drawn.nodes] / links["btin", drawn.nodes]
        words = (
            f"traffic of multicast over BTIN's, all {drawn.nodes} members of ({drawn.size}), RTL"
        )
        work.claim(words, None, ratio)


def node_links(scheme: str, members: int) -> int:
    """Return the links of nodes that a scheme's messages pass.

    Of BTIN, the link of each member up and down. Of multicast, up from each but the root node and
    into it, and down to each; of unicast, as many down as up.
    """
    up = 2 * (members - 1)
    return {"btin": 2 * members, "multicast": up + members, "unicast": 2 * up}[scheme]


def byte_ratio(found: Survey, members: int) -> float:
    """Return the ratio of bytes times links, multicast's last message with all addresses in it.

    BTIN's messages have two bytes, one from a member to the root an address more, and the multicast
    an address for each member, on all its path.
    """
    address = max(1, (found.drawn.nodes - 1).bit_length()) / 8
    btin = found.mean("btin", members)
    edges = btin / 2
    inward = found.mean("multicast", members) - edges
    one, all_ = MESSAGE_BYTES + address, MESSAGE_BYTES + members * address
    return (inward * one + edges * all_) / (btin * MESSAGE_BYTES)


def _traffic_ratio(work: Work, found: Survey, paper: float) -> float:
    """Add the ratio of multicast over BTIN as counted by several methods; return the first."""
    size, drawn = members_of(work, found.drawn), found.drawn
    btin, multicast, direct = (found.mean(f, size) for f in ("btin", "multicast", "direct"))
    own = {scheme: node_links(scheme, size) for scheme in NAMES}
    where, height = f"{size} members of ({drawn.size})", found.mean("height", size)
    ratio, known = multicast / btin, published(work, paper)
    note = (
        f"it would take {(paper - 0.5) * btin / (size - 1):.0f} links for each message to the root,"
        f" from which the farthest switch of BTIN is {height:.1f} links on average; {TRIED}"
    )
    claim = f"traffic of multicast over BTIN's, {where}"
    work.claim(claim, known, ratio, note if known else "")
    curve = {n: found.mean("multicast", n) / found.mean("btin", n) for n in found.sizes}
    add_ratios(work, f"({drawn.size})", curve, size, known)
    nodes = multicast + own["multicast"]
    for words, value in (
        ("links of nodes counted in", nodes / (btin + own["btin"])),
        ("by shortest ways", (direct + btin / 2) / btin),
        ("bytes times links, a list of addresses in the multicast", byte_ratio(found, size)),
        ("over BTIN's longest path alone, both ways", nodes / (2 * (height + 2))),
    ):
        work.claim(f"the same, {words}", None, value)
    unicast = found.mean("unicast", size) / btin
    work.claim(f"traffic of unicast over BTIN's, {where}", None, unicast)
    return ratio


PAPER = {"low": 8.7, "middle": 4.1, "high": 3.2}
"""Multicast over BTIN at each connectivity."""


@experiment(
    "btin-fig8",
    "latency at three connectivities of the switches",
    "paper BTIN, Fig. 8",
    runs=100,
    axes=(TIME, OVER),
    caption=f"{CURVES}: only the ratios with 256 members. {FITTED}",
    parameters=(
        NODES,
        SWITCHES,
        PORTS,
        Parameter("low", 0.5, 0.0, 1.0, "lowest connectivity"),
        Parameter("middle", 0.7, 0.0, 1.0, "middle one"),
        Parameter("high", 0.9, 0.0, 1.0, "highest one"),
        MEMBERS,
        *TIMES,
        *RTL_SIZES,
    ),
    rtl=True,
)
def connectivities(work: Work) -> None:
    """Fig. 8: latency at three connectivities of the switches (section 5.2).

    At its f = 50 % the network of 75 switches has 22 links, too few to connect them: it gets the 74
    of a tree. There the c that f asks for, f k - p / q = 0.59, is not that of the network, 1.97:
    both are shown.
    """
    kinds = [drawn_of(work, connectivity=name) for name in PAPER]
    measured = [drawn_of(work, "rtl_", name) for name in PAPER] if work.rtl else []
    found = [survey(work, drawn) for drawn in kinds]
    for one in found:
        for scheme in MERGED:
            curve = ((size, one.mean_us(scheme, size)) for size in one.sizes)
            work.curve(f"{NAMES[scheme]} ({one.drawn.percent})", curve)
    size = members_of(work, kinds[0])
    work.by_formula = True  # of multicast, which was fitted
    values = [published(work, value) for value in PAPER.values()]
    low, middle, high = (
        _ratio_claim(work, one, size, value) for one, value in zip(found, values, strict=True)
    )
    words, note = "the greater the connectivity", "the paper's own 8.7, 4.1 and 3.2 say no"
    work.confirm(f"{words}, the greater that ratio", low < middle < high, note)
    means = ([one.mean_us(scheme, size) for one in found] for scheme in MERGED)
    btin, multicast = (max(us) / min(us) for us in means)
    work.confirm(
        "BTIN is less sensitive to connectivity than multicast",
        btin < multicast,
        f"slowest over fastest: {btin:.1f} and {multicast:.1f}",
    )
    faster = all(one.ratio("multicast", s) > 1 for one in found for s in one.sizes)
    work.confirm("BTIN is faster than multicast at all three, and all sizes", faster)
    work.by_formula = False
    for drawn in measured:
        _measure_ratio(work, drawn)


def _ratio_claim(work: Work, found: Survey, size: int, paper: float | None) -> float:
    """Add the ratio at a connectivity, and that with the network's own c if it has more links."""
    drawn, ratio = found.drawn, found.ratio("multicast", size)
    curve = {n: found.ratio("multicast", n) for n in found.sizes}
    add_ratios(work, drawn.percent, curve, size, paper)
    words = f"multicast over BTIN, {size} members, connectivity {drawn.percent}"
    asked, links = drawn.links_asked, drawn.links
    if links == asked:
        work.claim(words, paper, ratio)
        return ratio
    note = f"impossible as stated: {asked} links cannot connect {drawn.switches} switches"
    work.claim(words, paper, ratio, f"{note}; with {links}, and the c of {asked}")
    own = replace(found, links=drawn.own_links_a_switch).ratio("multicast", size)
    work.claim("the same with the network's own c", None, own)
    work.claim("height of BTIN on that network", None, found.mean("height", size))
    return ratio


def _measure_ratio(work: Work, drawn: Drawn) -> None:
    """Add what the RTL takes, at the assumed clock."""
    us = {scheme: cycles / work.clock_mhz for scheme, (cycles, _) in hardware(work, drawn).items()}
    for (scheme, members), value in us.items():
        if scheme != "unicast":
            label = f"{NAMES[scheme]} ({drawn.size}; {drawn.percent}), RTL"
            work.point(label, members, value)
    btin, multicast = (us[scheme, drawn.nodes] for scheme in MERGED)
    where = f"all {drawn.nodes} members of ({drawn.size}), connectivity {drawn.percent}, RTL"
    work.claim(f"BTIN, {where} at {work.clock_mhz:g} MHz, µs", None, btin)
    work.claim(f"multicast over BTIN, {where}", None, multicast / btin)
