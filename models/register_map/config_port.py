"""The register map of a network's config port: a block for each target, by their numbers.

Source: docs/registers.md. Bits of a word that a register does not keep are left out.
"""

from __future__ import annotations

from syncfabric.models.networks.spec import NetworkSpec, StaticSpec
from syncfabric.models.register_map.engines import engine_map
from syncfabric.models.register_map.parts import Block
from syncfabric.models.register_map.static import static_map

__all__ = ["config_map"]


def config_map(spec: NetworkSpec) -> Block:
    """Return the map of all targets.

    Each target has a power of two of words: an address is that of the config port, with
    ``config_node`` above it.
    """
    network = spec.network
    blocks = static_map(network) if isinstance(network, StaticSpec) else engine_map(network.shape)
    about = f"Config port of network {spec.name}: the upper part of an address is config_node"
    return Block(f"{spec.module}_config", 0, about, tuple(blocks))
