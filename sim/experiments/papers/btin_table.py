"""Paper BTIN's Table 2, counted on random networks; and ratios over the ranges of all times."""

from dataclasses import replace
from itertools import product

import numpy as np

from syncfabric.models.layout.engine import EngineLayout
from syncfabric.models.timing.btin import Method, PacketTiming
from syncfabric.sim.experiments.frame import Axes, Work, experiment
from syncfabric.sim.experiments.papers.btin_networks import (
    FITTED,
    NAMES,
    NETWORK,
    TIMES,
    Drawn,
    Survey,
    drawn_of,
    members_of,
    survey,
)

GROUPS, DATA_BITS = 256, 6
"""Groups and data of a barrier's message (paper BTIN, section 3.2): 16 bits with its type."""
LONG = 4
"""Times the bits of a message with one address from which on a message is long."""
GROWTH: dict[Method, str] = {"unicast": "O(n)", "multicast": "O(n)", "btin": "O(log n)"}


@experiment(
    "btin-table2",
    "set-up, start-ups, message sizes and growth of the three schemes, counted",
    "paper BTIN, Table 2",
    runs=100,
    caption="Claims of the table that are words have no ratio.",
    parameters=(*NETWORK, *TIMES),
)
def characteristics(work: Work) -> None:
    """Table 2: what sets the schemes up, what they send, and how their latency grows.

    Section 4.3, counted on random networks. Start-ups are messages that software begins.
    """
    drawn = drawn_of(work)
    size, found = members_of(work, drawn), survey(work, drawn)
    _set_up_claims(work, found, size)
    _message_claims(work, found, size)
    for scheme, paper in GROWTH.items():
        ours = growth(found.sizes, [found.mean_us(scheme, n) for n in found.sizes])
        words, formula = f"growth of {NAMES[scheme]}'s latency", scheme != "btin"
        work.claim(words, paper, ours, "the better fit", by_formula=formula)
    work.confirm(
        "unicast is very slow, slower than multicast",
        found.mean_us("unicast", size) > found.mean_us("multicast", size),
        f"{found.ratio('unicast', size):.0f} times as long as BTIN, for {size} members",
        by_formula=True,
    )


def growth(sizes: tuple[int, ...], values: list[float]) -> str:
    """Return which fits values better, a line in n or one in log n: "O(n)" or "O(log n)"."""
    across = np.array(sizes, dtype=np.float64)
    apart = {
        words: float(np.corrcoef(x, values)[0, 1])
        for words, x in (("O(n)", across), ("O(log n)", np.log(across)))
    }
    return max(apart, key=lambda words: apart[words])


def _set_up_claims(work: Work, found: Survey, size: int) -> None:
    held, asked, set_up = (found.mean(field, size) for field in ("held", "asked", "set_up"))
    where = f"{size} members of ({found.drawn.size})"
    work.claim(
        f"BTIN: registers that member nodes write, {where}, %",
        100,
        100 * (1 - asked / held),
        f"{held - asked:.1f} of {held:.1f}; the others by nodes of nonmember switches",
    )
    work.claim(f"multicast: member switches that the root has set up, {where}", None, set_up)
    for few in sorted({min(16, size), size}):
        bare = found.of("bare", few)
        work.claim(
            f"BTIN: messages that ask nodes of nonmember switches, {few} members",
            None,
            found.mean("asked", few),
            f"{int((bare > 0).sum())} of {len(bare)} trees have a switch with no node to ask",
        )


def _message_claims(work: Work, found: Survey, size: int) -> None:
    edges = found.mean("btin", size) / 2
    inward = found.mean("multicast", size) - edges
    outward = found.mean("unicast", size) - inward
    phases = ((inward, outward), (inward, edges), (edges, edges))
    work.claim(
        "phases in which no link is passed twice: unicast; multicast; BTIN",
        "none; distribution; both",
        "; ".join(_phases(*passed, edges) for passed in phases),
    )
    unicast, multicast, btin = _bits(found.drawn, size)
    work.claim(
        "size of a message: unicast; multicast; BTIN",
        "short; long; short",
        f"{unicast} bits; {multicast} bits; {btin} bits",
        f"multicast with a list of {size} addresses",
        holds=multicast > LONG * unicast and btin <= unicast,
    )
    work.claim("bits of BTIN's message", 16, btin, "ours has an epoch of 2 bits in it")
    for scheme, paper, ours in (("unicast", 2 * size, 2 * size - 2), ("multicast", size + 1, size)):
        claim = f"start-ups of {scheme}, {size} members"
        work.claim(claim, paper, ours, "the root sends itself nothing", by_formula=True)
    begun = f"so the paper counts here; in all {size}, for each member begins one"
    for scheme, name in NAMES.items():
        # By how much the latency grows with t_s, t_out being t_s.
        free, us = (
            replace(found, times=work.times(PacketTiming, t_s=t_s, t_out=0)).mean_us(scheme, size)
            for t_s in (0.0, 1000.0)
        )
        value, note = (2, begun) if scheme == "btin" else (None, "")
        words = f"start-ups of {name}, one after another"
        work.claim(words, value, us - free, note, by_formula=True)


def _phases(inward: float, outward: float, edges: float) -> str:
    """Return in which phases no more links are passed than the tree has edges."""
    single = (inward <= edges, outward <= edges)
    words = {(True, True): "both", (True, False): "reduction", (False, True): "distribution"}
    return words.get(single, "none")


def _bits(drawn: Drawn, size: int) -> tuple[int, int, int]:
    """Return bits of the longest message of unicast, multicast and BTIN, with our fields."""
    message = EngineLayout(drawn.ports, False, GROUPS, DATA_BITS, "bitwise").message.width
    address = (drawn.switches - 1).bit_length() + (drawn.ports - 1).bit_length()
    return message + address, message + size * address, message


RANGES = {
    "t_s": (2000.0, 4000.0, 6000.0, 8000.0, 10_000.0),
    "t_p": (20.0, 25.0, 30.0, 35.0, 40.0),
    "t_r": (300.0, 350.0, 400.0, 450.0, 500.0),
}
CONNECTIVITIES = (0.5, 0.7, 0.75, 0.8, 0.9)
OTHERS: tuple[Method, Method] = ("multicast", "unicast")


@experiment(
    "btin-sweep",
    "multicast and unicast over BTIN, over the paper's ranges of its times and connectivity",
    "beyond paper BTIN, section 5.1",
    runs=100,
    axes=(Axes("parameter over its default", "latency over BTIN's", up_base=10),),
    caption=f"Not in the paper, which gives the ranges alone. {FITTED}",
    parameters=(*NETWORK, *TIMES),
)
def ranges(work: Work) -> None:
    """Multicast and unicast over BTIN: one parameter at a time, and all together.

    Section 5.1 has the ranges of the times, and section 5.2 those of f; its figures take the least
    times. The c is the network's own: f = 50 % is a tree (see Fig. 8).
    """
    usual = drawn_of(work)
    size = members_of(work, usual)
    asked = sorted({*CONNECTIVITIES, usual.connectivity})
    kinds = [replace(usual, connectivity=f) for f in asked]
    for drawn in kinds:
        drawn.check()
    found = {
        drawn.connectivity: replace(survey(work, drawn, [size]), links=drawn.own_links_a_switch)
        for drawn in kinds
    }

    def points(name: str, x: float, one: Survey) -> None:
        for scheme in OTHERS:
            work.point(f"{scheme}, {name}", x, one.ratio(scheme, size))

    for name, values in RANGES.items():
        default = float(work.values[name])
        for value in sorted({*values, default}):
            times = work.times(PacketTiming, **{name: value})
            x = value / default if default else value
            points(name, x, replace(found[usual.connectivity], times=times))
    for f, one in found.items():
        points("f", f / usual.connectivity, one)
    _range_claims(work, found, size)


def _range_claims(work: Work, found: dict[float, Survey], size: int) -> None:
    """Add the least and the greatest ratio over all values together, and where they are."""
    combinations = [dict(zip(RANGES, v, strict=True)) for v in product(*RANGES.values())]
    work.by_formula = True  # of multicast, which was fitted
    least: list[float] = []
    for scheme in OTHERS:
        ratios: dict[str, float] = {}
        for f, one in found.items():
            for changed in combinations:
                there = replace(one, times=work.times(PacketTiming, **changed))
                at = ", ".join(f"{name} = {value:g}" for name, value in changed.items())
                ratios[f"f = {f:g}, {at}"] = there.ratio(scheme, size)
        for words, choose in (("least", min), ("greatest", max)):
            place = choose(ratios, key=lambda at: ratios[at])
            claim = f"{scheme} over BTIN, {size} members: {words} over all ranges"
            work.claim(claim, None, ratios[place], place)
        least.append(min(ratios.values()))
    work.confirm(
        "BTIN is better for a wide range of network conditions",
        min(least) > 1,
        f"at least {min(least):.1f} times as fast in {len(found) * len(combinations)} combinations",
    )
