"""Layouts of streams for tests of parts."""

from typing import Any

from syncfabric.models.layout.streams import StreamLayout


def layout_of(channels: int = 1, bits: int = 32, **keys: Any) -> StreamLayout:
    """Return a layout of a router with five ports, one of them the process's."""
    given: dict[str, Any] = {"operations": ("add",), "join": "tree", "ports": 5, "own": True} | keys
    return StreamLayout(channels, bits, **given)
