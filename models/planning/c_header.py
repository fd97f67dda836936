"""A C header with the words and fields of a network's config port, for software."""

from __future__ import annotations

from syncfabric.models.networks.spec import NetworkSpec, StaticSpec
from syncfabric.models.planning.c_header_engine import engine_blocks
from syncfabric.models.planning.c_header_static import static_blocks
from syncfabric.models.planning.c_text import guarded, prefixed

__all__ = ["c_header"]


def c_header(spec: NetworkSpec, prefix: str = "") -> str:
    """Return a C header (C99) with the words of the network's config port and their fields.

    Its names begin with the prefix, by default that of the network's module.
    """
    network = spec.network
    blocks = static_blocks(network) if isinstance(network, StaticSpec) else engine_blocks(network)
    text = guarded(f"{spec.module}_REGISTERS_H", f"Config words of network {spec.name}", blocks)
    return prefixed(text, prefix or spec.module)
