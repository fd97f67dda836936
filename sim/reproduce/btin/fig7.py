"""Fig. 7: links between switches that the messages of one barrier pass.

Paper BTIN, section 5.2. Packets take up/down ways, as section 2.1 says. The paper's factors do not
come out of this count, nor of any other of messages and links that was tried; some have rows of
their own.
"""

from __future__ import annotations

from itertools import pairwise

from syncfabric.sim.reproduce.btin.hardware import hardware, rtl_networks
from syncfabric.sim.reproduce.btin.latency import NAMES, add_ratios, members_of, published
from syncfabric.sim.reproduce.btin.networks import Drawn, Survey, drawn_of, survey
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["byte_ratio", "node_links", "traffic"]

MESSAGE_BYTES = 2
"""Of a barrier's message (paper BTIN, section 3.2)."""
TRIED = (
    "tried too: the rows below; set-up added; messages weighted by flits of 1 to 4 bytes, with a "
    "list or a bit string of addresses; flooding"
)


def traffic(work: Work) -> None:
    """Fig. 7."""
    kinds = [drawn_of(work), drawn_of(work, "large_")]
    measured = rtl_networks(work)
    found = [_survey(work, drawn) for drawn in kinds]
    for one in found:
        for scheme, name in NAMES.items():
            curve = ((size, one.mean(scheme, size)) for size in one.sizes)
            work.curve(f"{name} ({one.drawn.size})", curve)
    ratios = [
        _ratio_claims(work, one, paper) for one, paper in zip(found, (46.8, 88.6), strict=True)
    ]
    work.confirm(
        "the larger the network, the greater the traffic's ratio",
        ratios[1] > ratios[0],
        "a larger network spreads as many members over more switches, where less can be merged",
    )
    for one in found:
        _shape_claims(work, one)
    grown = {
        scheme: found[1].mean(scheme, found[1].drawn.nodes)
        / found[0].mean(scheme, found[0].drawn.nodes)
        for scheme in NAMES
    }
    work.confirm(
        "BTIN's traffic grows less than multicast's, network and group quadrupled",
        grown["btin"] < grown["multicast"],
        ", ".join(f"{NAMES[scheme]} {times:.1f} times" for scheme, times in grown.items()),
    )
    for drawn in measured:
        _measure(work, drawn)


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
    an address for each member, on all its way.
    """
    address = max(1, (found.drawn.nodes - 1).bit_length()) / 8
    btin = found.mean("btin", members)
    edges = btin / 2
    inward = found.mean("multicast", members) - edges
    one, all_ = MESSAGE_BYTES + address, MESSAGE_BYTES + members * address
    return (inward * one + edges * all_) / (btin * MESSAGE_BYTES)


def _survey(work: Work, drawn: Drawn) -> Survey:
    return survey(work, drawn, sorted({*drawn.sizes, members_of(work, drawn.nodes)}))


def _ratio_claims(work: Work, found: Survey, paper: float) -> float:
    """Add the ratio of multicast over BTIN as counted in several ways; return the first."""
    size = members_of(work, found.drawn.nodes)
    btin, multicast, direct = (found.mean(f, size) for f in ("btin", "multicast", "direct"))
    unicast, path = found.mean("unicast", size), 2 * (found.mean("height", size) + 2)
    own = {scheme: node_links(scheme, size) for scheme in NAMES}
    where = f"{size} members of ({found.drawn.size})"
    ratio = multicast / btin
    needed, height = (paper - 0.5) * btin / (size - 1), found.mean("height", size)
    note = (
        f"it would take {needed:.0f} links for each message to the root, from which the farthest "
        f"switch of BTIN is {height:.1f} links on average; {TRIED}"
    )
    known = published(work, paper)
    claim = f"traffic of multicast over BTIN's, {where}"
    work.claim(claim, known, ratio, note if known else "")
    curve = {n: found.mean("multicast", n) / found.mean("btin", n) for n in found.sizes}
    add_ratios(work, f"({found.drawn.size})", curve, size, known)
    for words, value in (
        ("links of nodes counted in", (multicast + own["multicast"]) / (btin + own["btin"])),
        ("by shortest ways", (direct + btin / 2) / btin),
        ("bytes times links, a list of addresses in the multicast", byte_ratio(found, size)),
        ("over BTIN's longest path alone, both ways", (multicast + own["multicast"]) / path),
    ):
        work.claim(f"the same, {words}", None, value)
    work.claim(f"traffic of unicast over BTIN's, {where}", None, unicast / btin)
    return ratio


def _shape_claims(work: Work, found: Survey) -> None:
    sizes, where = found.sizes, f"on ({found.drawn.size})"
    less = all(found.mean("btin", s) < found.mean("multicast", s) for s in sizes)
    work.confirm(f"BTIN has less traffic than multicast {where}, at all sizes", less)
    grows = all(
        found.mean(scheme, small) < found.mean(scheme, large)
        for scheme in ("btin", "multicast")
        for small, large in pairwise(sizes)
    )
    work.confirm(f"traffic grows with the group {where}, in both schemes", grows)


def _measure(work: Work, drawn: Drawn) -> None:
    """Add the links that messages pass on the RTL."""
    links: dict[tuple[str, int], int] = {}
    for one in hardware(work, drawn):
        links[one.scheme, one.members] = one.between
        work.point(f"{NAMES[one.scheme]} ({drawn.size}), RTL", one.members, one.between)
    every = drawn.nodes
    ratio = links["multicast", every] / links["btin", every]
    work.claim(
        f"traffic of multicast over BTIN's, all {every} members of ({drawn.size}), RTL", None, ratio
    )
