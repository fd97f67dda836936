"""The parts that a network's fabric is built from, by the kind of network."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.sim.fabric.header import network_h, tables_text
from syncfabric.sim.fabric.nodes import tiles
from syncfabric.sim.fabric.static import tiles as static_tiles

__all__ = ["network_h", "parts_of"]


@singledispatch
def parts_of(spec: Any, *, queue: int, waves: bool) -> tuple[str, dict[str, str], str]:
    """Return a network's program, its tiles, and the tables that it reads."""
    return "nodes.cpp", tiles(spec, queue=queue, waves=waves), tables_text(spec)


@parts_of.register
def _(spec: StaticSpec, *, queue: int, waves: bool) -> tuple[str, dict[str, str], str]:
    return "static.cpp", static_tiles(spec), ""
