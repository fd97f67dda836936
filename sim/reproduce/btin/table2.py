"""Table 2: what sets the three schemes up, what they send, and how their latency grows.

Paper BTIN, section 4.3, counted on random networks. Start-ups are messages that software begins.
"""

from __future__ import annotations

import numpy as np

from syncfabric.models.layout.engine import EngineLayout
from syncfabric.sim.reproduce.btin.latency import NAMES, Latencies, members_of, times_of
from syncfabric.sim.reproduce.btin.networks import Drawn, Survey, drawn_of, survey
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["characteristics", "growth"]

GROUPS, DATA_BITS = 256, 6
"""Groups and data of a barrier's message (paper BTIN, section 3.2): 16 bits with its type."""
LONG = 4
"""Times the bits of a message with one address from which on a message is long."""
GROWTH = {"unicast": "O(n)", "multicast": "O(n)", "btin": "O(log n)"}


def characteristics(work: Work) -> None:
    """Table 2."""
    drawn = drawn_of(work)
    size = members_of(work, drawn.nodes)
    found = survey(work, drawn, sorted({*drawn.sizes, size}))
    _set_up_claims(work, found, size)
    _message_claims(work, found, size)
    latencies = Latencies(found, times_of(work), drawn.links_a_switch)
    for scheme, paper in GROWTH.items():
        means = [latencies.mean(scheme, n) for n in found.sizes]
        ours = growth(found.sizes, means)
        words, formula = f"growth of {NAMES[scheme]}'s latency", scheme != "btin"
        work.claim(words, paper, ours, "the better fit", by_formula=formula)
    slow = latencies.mean("unicast", size) > latencies.mean("multicast", size)
    work.confirm(
        "unicast is very slow, slower than multicast",
        slow,
        f"{latencies.ratio('unicast', size):.0f} times as long as BTIN, for {size} members",
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
