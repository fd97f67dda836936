"""TILE64 as the parameters have it, and its barriers by the number of cores."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.buffers import tree_flits
from syncfabric.models.timing.barriers import reflex_ns, reflex_tree_ns, udn_stn_ns, wires_ns
from syncfabric.models.timing.loggp import LogGP, MemoryLogGP
from syncfabric.models.timing.memory_barriers import (
    centralized_ns,
    memory_dissemination_ns,
    tile_spin_ns,
    tile_sync_ns,
)

__all__ = [
    "BY_MEMORY",
    "BY_NETWORK",
    "REFLEX",
    "TREE",
    "WIRES",
    "WIRES_1",
    "Time",
    "barriers",
    "buffered",
    "cycle_ns",
    "diameter",
    "memory",
    "network",
    "ours",
    "radius",
    "sizes",
]

Values = Mapping[str, int | float]
"""Of the parameters."""

Time = Callable[[int], float]
"""What a barrier takes, in ns, by the number of cores."""

BY_MEMORY = ("Tile Sync", "centralized", "dissemination", "Tile Spin")
"""Slowest first, as the paper's text has them."""
REFLEX = "Reflex"
BY_NETWORK = ("UDN/STN", REFLEX)
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


def buffered(values: Values, width: int, height: int) -> StaticSpec:
    """Return a static network with the parameters' buffers."""
    places = int(values["buffers"])
    keys = dict.fromkeys(("switch_buffer", "core_buffer", "injection_buffer"), places)
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

    The cores are on the squarest mesh, and all ways as long as its diameter. Of Tile Sync and Tile
    Spin the paper does not tell the algorithm: their models are made to stand in its order.
    """
    stn, shared = network(values), memory(values)
    wake = 1_000 * values["wake"]
    return {
        "Tile Sync": lambda cores: tile_sync_ns(cores, diameter(cores), shared, wake_ns=wake),
        "centralized": lambda cores: centralized_ns(cores, diameter(cores), shared),
        "dissemination": lambda cores: memory_dissemination_ns(cores, diameter(cores), shared),
        "Tile Spin": lambda cores: tile_spin_ns(cores, diameter(cores), shared),
        "UDN/STN": lambda cores: udn_stn_ns(cores, diameter(cores), stn),
        REFLEX: lambda cores: reflex_ns(cores, stn),
    }


def ours(values: Values) -> dict[str, Time]:
    """Return what the paper's figures do not have."""
    stn = network(values)
    return {
        TREE: partial(_tree_ns, values, stn),
        WIRES: lambda cores: wires_ns(radius(cores), 0, stn),
        WIRES_1: lambda cores: wires_ns(radius(cores), 1, stn),
    }


def _tree_ns(values: Values, stn: LogGP, cores: int) -> float:
    links, mesh = radius(cores), squarest(cores)
    flits = tree_flits(links, buffered(values, mesh.width, mesh.height))
    return reflex_tree_ns(links, flits, stn, streams=values["buffers"] > 1)
