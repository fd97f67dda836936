"""Paper Reflex's barriers in LogGP, and wires beside them.

The paper's figures have no numbers: shapes and orders are compared.
"""

import itertools
import math
from collections.abc import Callable, Iterator

from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.timing.barriers import (
    centralized_ns,
    crossover,
    dissemination_ns,
    memory_dissemination_ns,
    reflex_ns,
    tile_spin_ns,
    tile_sync_ns,
    udn_stn_ns,
    wires_ns,
)
from syncfabric.models.timing.loggp import INFINIBAND, TILE64, TILE64_MEMORY, LogGP
from syncfabric.models.timing.loggp import TILE64_CYCLE_NS as CYCLE
from syncfabric.sim.figures.row import Row

__all__ = ["reflex_model"]

CORES = (2, 4, 8, 16, 32, 64)
RINGS = (4, 8, 16, 32, 64)
NODES = (2, 16, 128, 256, 1_024, 4_096)
MOST = 65_536
"""Crossovers are looked for up to here."""

CLOSE = 0.1
"""How far model and hardware may differ; the paper says a good approximation, and no number."""

BARRIERS: dict[str, Callable[[int], float]] = {
    "Tile Sync": lambda cores: tile_sync_ns(cores, diameter(cores), TILE64_MEMORY),
    "centralized": lambda cores: centralized_ns(cores, diameter(cores), TILE64_MEMORY),
    "dissemination": lambda cores: memory_dissemination_ns(cores, diameter(cores), TILE64_MEMORY),
    "Tile Spin": lambda cores: tile_spin_ns(cores, diameter(cores), TILE64_MEMORY),
    "UDN/STN": lambda cores: udn_stn_ns(cores, diameter(cores), TILE64),
    "Reflex": lambda cores: reflex_ns(cores, TILE64),
}
"""The barriers of Fig. 6, in ns by the number of cores."""

BY_NETWORK = ("UDN/STN", "Reflex")
ORDER_ONLY = ("Tile Sync", "Tile Spin")
"""The paper does not tell their algorithms: the model is made to put them in their places."""

OURS: dict[str, Callable[[int], float]] = {
    "wires (ours)": lambda cores: wires_ns(radius(cores), 0, TILE64),
    "wires, one link register (ours)": lambda cores: wires_ns(radius(cores), 1, TILE64),
}
"""What the paper's figure does not have; a link register more lets the clock be faster."""


def squarest(cores: int) -> Mesh:
    """Return the squarest mesh that has room for the cores."""
    width = math.isqrt(cores - 1) + 1
    return Mesh(width, math.ceil(cores / width))


def diameter(cores: int) -> int:
    """Return the diameter of that mesh."""
    return squarest(cores).diameter


def radius(cores: int) -> int:
    """Return the links from the middle of that mesh to its farthest corner."""
    mesh = squarest(cores)
    return mesh.width // 2 + mesh.height // 2


def reflex_model(ring_cycles: Callable[[int], int] | None = None) -> Iterator[Row]:
    """Reflex-model: barriers of paper Reflex in LogGP, to compare by shape and order alone.

    Parameters
    ----------
    ring_cycles : callable or None
        The cycles that a barrier takes in hardware, by the links of its ring, for Fig. 9; without
        it the column stays empty.
    """
    assumed = (("tile64", TILE64), ("tile64's memory", TILE64_MEMORY))
    for name, loggp in assumed:
        cycles = ", ".join(f"{key} {value / CYCLE:g}" for key, value in _times(loggp).items())
        yield Row(f"{name}: all but h and the clock assumed", f"{cycles} cycles of {CYCLE:.2f} ns")
    times = ", ".join(f"{key} {value:,g}" for key, value in _times(INFINIBAND).items())
    yield Row("infiniband: measured elsewhere, h assumed", f"{times} ns")
    yield from _fig6()
    yield from _fig9(ring_cycles)
    yield from _fig10()


def _times(loggp: LogGP) -> dict[str, float]:
    return {"L": loggp.L, "o": loggp.o, "g": loggp.g, "h": loggp.h}


def _fig6() -> Iterator[Row]:
    sizes = " / ".join(map(str, CORES))
    for name, time in {**BARRIERS, **OURS}.items():
        only = ", order only" * (name in ORDER_ONLY)
        times = " / ".join(f"{time(cores):,.0f}" for cores in CORES)
        yield Row(f"Fig. 6, {sizes} cores: {name}{only}", f"{times} ns")
    sizes_of: dict[str, list[int]] = {}
    for cores in CORES:
        sizes_of.setdefault(_slowest_first(cores), []).append(cores)
    for order, alike in sizes_of.items():
        yield Row(f"Fig. 6, {' / '.join(map(str, alike))} cores: slowest first", order)
    more = (reflex_ns(65, TILE64) - reflex_ns(64, TILE64)) / TILE64.h
    yield Row("Fig. 6, Reflex: a core more", f"{more:g} hops")
    for where, other in (("memory", BARRIERS["dissemination"]), ("messages", _messages)):
        least = _from(crossover(BARRIERS["Reflex"], other, MOST), "cores")
        yield Row(f"Beyond Fig. 6: Reflex slower than dissemination by {where}", least)


def _slowest_first(cores: int) -> str:
    names = sorted(BARRIERS, key=lambda name: -BARRIERS[name](cores))
    kinds = ("by network" if name in BY_NETWORK else name for name in names)
    return " > ".join(kind for kind, _ in itertools.groupby(kinds))


def _fig9(ring_cycles: Callable[[int], int] | None) -> Iterator[Row]:
    for links in RINGS:
        model = reflex_ns(links, TILE64)
        cycles = model / CYCLE
        hardware = ring_cycles(links) if ring_cycles else None
        yield Row(
            f"Fig. 9, ring of {links} links: Reflex in the model",
            f"{cycles:.0f} cycles, {model:.0f} ns",
            "" if hardware is None else f"{hardware} cycles in hardware, ± {CLOSE:.0%}",
            None if hardware is None else abs(cycles - hardware) <= CLOSE * hardware,
        )


def _fig10() -> Iterator[Row]:
    for nodes in NODES:
        reflex, messages = reflex_ns(nodes, INFINIBAND), _cluster_messages(nodes)
        yield Row(
            f"Fig. 10, {nodes:,} nodes: Reflex / dissemination",
            f"{reflex / 1e3:.1f} / {messages / 1e3:.1f} µs",
        )
    slope = reflex_ns(3, INFINIBAND) - reflex_ns(2, INFINIBAND)
    yield Row("Fig. 10, Reflex: a node more", f"{slope:.0f} ns, linear")
    least = crossover(lambda nodes: reflex_ns(nodes, INFINIBAND), _cluster_messages, MOST)
    yield Row("Fig. 10: Reflex slower than dissemination", _from(least, "nodes"))


def _messages(cores: int) -> float:
    """Return the time of dissemination over the user network, which the paper does not show."""
    return dissemination_ns(cores, diameter(cores), TILE64)


def _cluster_messages(nodes: int) -> float:
    """Return the time of dissemination in a cluster; L is end to end, switches and all."""
    return dissemination_ns(nodes, 0, INFINIBAND)


def _from(least: int | None, what: str) -> str:
    return f"never, to {MOST:,} {what}" if least is None else f"from {least:,} {what} on"
