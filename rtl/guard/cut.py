"""Packets that a guard has ended."""

from typing import Any

from amaranth import Const, Value

from syncfabric.models.messages import Layout

__all__ = ["is_cut"]


def is_cut(flit: Any, layout: Layout) -> Value:
    """Return whether a flit ends a packet whose rest is lost; never where links have no guards."""
    return flit.tail & flit.cut if "cut" in layout.offsets else Const(0, 1)
