"""Paper BTIN's Table 2, counted on random networks; and ratios over the ranges of all times."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from syncfabric.models.layout.engine import EngineLayout
from syncfabric.models.timing.btin import PacketTiming
from syncfabric.sim.experiments.frame import Axes, Work, experiment
from syncfabric.sim.experiments.papers.btin import FITTED, NETWORK, TIMES
from syncfabric.sim.experiments.papers.btin_latency import (
    NAMES,
    Latencies,
    latencies,
    members_of,
    times_of,
)
from syncfabric.sim.experiments.papers.btin_networks import Drawn, Survey, check, drawn_of, survey

__all__ = ["CONNECTIVITIES", "RANGES", "growth"]

GROUPS, DATA_BITS = 256, 6
"""Groups and data of a barrier's message (paper BTIN, section 3.2): 16 bits with its type."""
LONG = 4
"""Times the bits of a message with one address from which on a message is long."""
GROWTH = {"unicast": "O(n)", "multicast": "O(n)", "btin": "O(log n)"}


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
    size, times = members_of(work, drawn.nodes), latencies(work, drawn)
    found = times.survey
    _set_up_claims(work, found, size)
    _message_claims(work, found, size)
    for scheme, paper in GROWTH.items():
        means = [times.mean(scheme, n) for n in found.sizes]
        ours = growth(found.sizes, means)
        words, formula = f"growth of {NAMES[scheme]}'s latency", scheme != "btin"
        work.claim(words, paper, ours, "the better fit", by_formula=formula)
    slow = times.mean("unicast", size) > times.mean("multicast", size)
    work.confirm(
        "unicast is very slow, slower than multicast",
        slow,
        f"{times.ratio('unicast', size):.0f} times as long as BTIN, for {size} members",
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
    held, asked, told = (found.mean(field, size) for field in ("held", "asked", "told"))
    where = f"{size} members of ({found.drawn.size})"
    work.claim(
        f"BTIN: registers that member nodes write, {where}, %",
        100,
        100 * (1 - asked / held),
        f"{held - asked:.1f} of {held:.1f}; the others by nodes of nonmember switches",
    )
    work.claim(f"multicast: member switches that the root has set up, {where}", None, told)
    for few in sorted({min(16, size), size}):
        bare = found.of("bare")[:, found.sizes.index(few)]
        work.claim(
            f"BTIN: messages that ask nodes of nonmember switches, {few} members",
            None,
            found.mean("asked", few),
            f"{int((bare > 0).sum())} of {len(bare)} trees have a switch with no node to ask",
        )


def _message_claims(work: Work, found: Survey, size: int) -> None:
    drawn = found.drawn
    edges = found.mean("btin", size) / 2
    inward = found.mean("multicast", size) - edges
    outward = found.mean("unicast", size) - inward
    phases = {
        "unicast": _phases(inward, outward, edges),
        "multicast": _phases(inward, edges, edges),
        "btin": _phases(edges, edges, edges),
    }
    work.claim(
        "phases in which no link is passed twice: unicast; multicast; BTIN",
        "none; distribution; both",
        "; ".join(phases.values()),
    )
    bits = _bits(drawn, size)
    work.claim(
        "size of a message: unicast; multicast; BTIN",
        "short; long; short",
        "; ".join(f"{bits[scheme]} bits" for scheme in phases),
        f"multicast with a list of {size} addresses",
        holds=bits["multicast"] > LONG * bits["unicast"] and bits["btin"] <= bits["unicast"],
    )
    work.claim("bits of BTIN's message", 16, bits["btin"], "ours has an epoch of 2 bits in it")
    in_all = {"unicast": (2 * size, 2 * (size - 1)), "multicast": (size + 1, size)}
    for scheme, (paper, ours) in in_all.items():
        claim = f"start-ups of {NAMES[scheme]}, {size} members"
        work.claim(claim, paper, ours, "the root sends itself nothing", by_formula=True)
    for scheme, value in (("btin", 2), ("multicast", None), ("unicast", None)):
        note = f"so the paper counts here; in all {size}, for each member begins one"
        work.claim(
            f"start-ups of {NAMES[scheme]}, one after another",
            value,
            _start_ups(work, found, scheme, size),
            note if scheme == "btin" else "",
            by_formula=True,
        )


def _start_ups(work: Work, found: Survey, scheme: str, size: int) -> float:
    """Return by how much the latency grows with t_s, t_out being t_s."""
    us = [
        Latencies(found, times_of(work, t_s=t_s, t_out=0), found.drawn.links_a_switch).mean(
            scheme, size
        )
        for t_s in (0.0, 1000.0)
    ]
    return us[1] - us[0]


def _phases(inward: float, outward: float, edges: float) -> str:
    """Return in which phases no more links are passed than the tree has edges."""
    single = (inward <= edges, outward <= edges)
    words = {(True, True): "both", (True, False): "reduction", (False, True): "distribution"}
    return words.get(single, "none")


def _bits(drawn: Drawn, size: int) -> dict[str, int]:
    """Return bits of each scheme's longest message, with this project's fields."""
    message = EngineLayout(drawn.ports, False, GROUPS, DATA_BITS, "bitwise").message.width
    address = (drawn.switches - 1).bit_length() + (drawn.ports - 1).bit_length()
    return {
        "btin": message,
        "unicast": message + address,
        "multicast": message + size * address,
    }


RANGES = {
    "t_s": (2000.0, 4000.0, 6000.0, 8000.0, 10_000.0),
    "t_p": (20.0, 25.0, 30.0, 35.0, 40.0),
    "t_r": (300.0, 350.0, 400.0, 450.0, 500.0),
}
CONNECTIVITIES = (0.5, 0.7, 0.75, 0.8, 0.9)
OTHERS = ("multicast", "unicast")


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
    usual, times = drawn_of(work), times_of(work)
    size = members_of(work, usual.nodes)
    kinds = {f: replace(usual, connectivity=f) for f in {*CONNECTIVITIES, usual.connectivity}}
    for drawn in kinds.values():
        check(drawn)
    found = {f: _own_latencies(work, kinds[f], size, times) for f in sorted(kinds)}
    here = found[usual.connectivity]
    for name, values in RANGES.items():
        default = float(work.values[name])
        for value in sorted({*values, default}):
            one = replace(here, times=times_of(work, **{name: value}))
            _points(work, name, value / default if default else value, one, size)
    for f, one in found.items():
        _points(work, "f", f / usual.connectivity, one, size)
    _range_claims(work, found, size)


def _own_latencies(work: Work, drawn: Drawn, size: int, times: PacketTiming) -> Latencies:
    return Latencies(survey(work, drawn, [size]), times, drawn.own_links_a_switch)


def _points(work: Work, name: str, x: float, found: Latencies, size: int) -> None:
    for scheme in OTHERS:
        work.point(f"{scheme}, {name}", x, found.ratio(scheme, size))


def _range_claims(work: Work, found: dict[float, Latencies], size: int) -> None:
    """Add the least and the greatest ratio over all values together, and where they are."""
    combinations = [dict(zip(RANGES, v, strict=True)) for v in product(*RANGES.values())]
    work.by_formula = True  # of multicast, which was fitted
    least: list[float] = []
    for scheme in OTHERS:
        ratios: dict[str, float] = {}
        for f, one in found.items():
            for changed in combinations:
                there = replace(one, times=times_of(work, **changed))
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
