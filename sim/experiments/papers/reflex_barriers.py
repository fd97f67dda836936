"""TILE64 in LogGP as the parameters have it, its barriers, and those measured on our RTL."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.multicast_tree import tree_flits
from syncfabric.models.timing.barriers import barrier_ns, reflex_tree_ns, wires_ns
from syncfabric.models.timing.loggp import LogGP, MemoryLogGP
from syncfabric.sim.experiments.alone import Barrier, Wish
from syncfabric.sim.experiments.frame import Parameter, Work

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
UNREAD = "The text of the paper gives no numbers of its curves: none are shown."
ASSUMED = "Times of LogGP are assumed, except clock and hop of TILE64."
FARTHEST = 65_536
"""Cores up to which it is looked for where Reflex falls behind."""

Values = Mapping[str, int | float]
"""Of the parameters."""
Time = Callable[[int], float]
"""What a barrier takes, in ns, by the number of cores."""

BY_MEMORY = ("Tile Sync", "centralized", "dissemination", "Tile Spin")
"""Slowest first, as the paper's text has them."""
REFLEX, UDN = "Reflex", "UDN/STN"
BY_NETWORK = (UDN, REFLEX)
TREE, WIRES, WIRES_1 = "Reflex, tree (ours)", "wires (ours)", "wires (ours), 1 register"
"""The last has a register on every link, so that the clock can be faster."""


def cycle_ns(values: Values) -> float:
    """Return a cycle of the clock."""
    return 1_000 / values["clock"]


def network(values: Values) -> LogGP:
    """Return the times of the user networks."""
    return LogGP(**{key: values[key] * cycle_ns(values) for key in ("L", "o", "g", "G", "h")})


def memory(values: Values) -> MemoryLogGP:
    """Return the times of the shared memory; a hop is that of the networks."""
    cycle = cycle_ns(values)
    own = {key: values[f"memory_{key}"] * cycle for key in ("L", "o", "g")}
    return MemoryLogGP(**own, h=values["h"] * cycle)


def buffered(places: int, width: int, height: int) -> StaticSpec:
    """Return a static network all of whose buffers have so many places."""
    keys: dict[str, Any] = dict.fromkeys(
        ("switch_buffer", "core_buffer", "injection_buffer"), places
    )
    return StaticSpec(kind="static", width=width, height=height, **keys)


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


def sizes(most: int) -> tuple[int, ...]:
    """Return 2, 4, 8, … cores, and the most."""
    doubled = {1 << power for power in range(1, most.bit_length())}
    return tuple(sorted({*doubled, most}))


def barriers(values: Values) -> dict[str, Time]:
    """Return the barriers of Fig. 6, slowest first as the paper's text has them.

    The cores are on the squarest mesh, and all paths as long as its diameter. Of Tile Sync and Tile
    Spin the paper does not give the algorithm: their models are made to stand in its order. In Tile
    Sync processes which wait are idle. Assumed: a centralized barrier, after which the operating
    system wakes all at once.
    """
    wake = 1_000 * values["wake"]
    shared, stn = memory(values), network(values)

    def by(name: str, times: LogGP) -> Time:
        return lambda cores: barrier_ns(name, cores, diameter(cores), times)

    centralized = by("centralized", shared)
    return {
        "Tile Sync": lambda cores: centralized(cores) + wake,
        "centralized": centralized,
        "dissemination": by("memory-dissemination", shared),
        "Tile Spin": by("tile-spin", shared),
        UDN: by("udn-stn", stn),
        REFLEX: by("reflex", stn),
    }


def ours(values: Values) -> dict[str, Time]:
    """Return what the paper's figures do not have."""
    stn, places = network(values), int(values["buffers"])

    def tree_ns(cores: int) -> float:
        links, mesh = radius(cores), squarest(cores)
        flits = tree_flits(links, buffered(places, mesh.width, mesh.height))
        return reflex_tree_ns(links, flits, stn, streams=places > 1)

    return {
        TREE: tree_ns,
        WIRES: lambda cores: wires_ns(radius(cores), 0, stn),
        WIRES_1: lambda cores: wires_ns(radius(cores), 1, stn),
    }


def at_sizes(holds: Mapping[int, bool]) -> str:
    """Return ``yes`` or ``no`` if it is the same at all sizes, else those at which it holds."""
    if len(set(holds.values())) == 1:
        return "yes" if all(holds.values()) else "no"
    return f"at {', '.join(f'{size:,}' for size, held in holds.items() if held)} only"


def slashed(values: Iterable[int]) -> str:
    """Return numbers with slashes between them."""
    return " / ".join(f"{value:,}" for value in values)


SIDES = (2, 4, 6, 8)
CORES = [side * side for side in SIDES]

BARRIERS = {
    REFLEX: Barrier("static", "ring"),
    TREE: Barrier("static", "tree"),
    WIRES: Barrier("mesh", "wires", "", {"wires": 1}),
    WIRES_1: Barrier("mesh", "wires", "", {"wires": 1, "link_registers": 1}),
    "engines": Barrier("mesh", "shortest"),
    "engines, routed BTM": Barrier("mesh", "btm", "", {"transport": "routed"}),
    UDN: Barrier("mesh", "shortest", "udn/stn"),
    "dissemination by messages": Barrier("mesh", "shortest", "dissemination"),
    "unicast": Barrier("mesh", "shortest", "unicast"),
}
"""What is measured, by the names that models have."""
ALL = tuple(BARRIERS)


def run(name: str, side: int, wishes: Sequence[Wish]) -> list[int]:
    """Return the cycles of a barrier by its name; see ``Barrier.cycles``."""
    return BARRIERS[name].cycles(side, wishes)[1]


def cycles(work: Work, names: Sequence[str], *wishes: Wish) -> dict[str, list[list[int]]]:
    """Measure barriers by name: for each wish, the cycles at every side; as jobs of the work."""
    work.report("barriers on the RTL")
    found = iter(work.map(run, [(name, side, wishes) for name in names for side in SIDES]))
    each = {name: [next(found) for _ in SIDES] for name in names}
    return {name: [list(row) for row in zip(*rows, strict=True)] for name, rows in each.items()}
