"""Networks of each kind, and the keys that meshes and irregular networks share."""

from typing import Any

from syncfabric.models.networks.spec import MeshSpec, StaticSpec


def mesh(**changes: Any) -> MeshSpec:
    return MeshSpec(**{"kind": "mesh", "width": 8, "height": 8, **changes})


def static(**changes: Any) -> StaticSpec:
    return StaticSpec(**{"kind": "static", "width": 4, "height": 4, **changes})


COMMON: dict[str, Any] = {
    "transport": "link",
    "groups": 16,
    "wires": 0,
    "streams": 0,
    "stream_bits": 32,
    "stream_operations": ("add",),
    "stream_join": "tree",
    "stream_links": "own",
    "offload": None,
    "port_registers": 16,
    "message_links": "own",
    "data_bits": 4,
    "operations": "bitwise",
    "engine_stages": 0,
    "flit_bits": 32,
    "buffer_flits": 4,
    "channels": 1,
    "output_register": False,
    "link_registers": 0,
    "check_bits": 0,
    "key_bits": 0,
    "watchdog": 0,
    "counters": True,
    "read_back": True,
    "clock_enables": False,
    "managers": (),
}
"""Defaults of keys that meshes and irregular networks share (docs/network-files.md)."""
