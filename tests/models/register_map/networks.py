"""A small network of each form that a register map can have."""

from syncfabric.models.networks.spec import NetworkSpec

__all__ = ["NETWORKS", "network"]

_ROW = {
    "kind": "irregular",
    "ports": 5,
    "switches": 2,
    "links": [[[0, 0], [1, 4]]],
    "nodes": [[0, 1], [0, 3], [1, 0]],
    "barrier_registers": 2,
}

NETWORKS = {
    "mesh": {"kind": "mesh", "width": 3, "height": 2, "barrier_registers": 3},
    "mesh_managed": {
        "kind": "mesh",
        "width": 3,
        "height": 2,
        "setup": "manager",
        "managers": [[1, 0], [1, 1]],
        "data_bits": 0,
    },
    "mesh_wires": {"kind": "mesh", "width": 2, "height": 2, "sync": "wires", "data_bits": 0},
    "mesh_both": {"kind": "mesh", "width": 2, "height": 2, "sync": "both", "barrier_registers": 2},
    "switches": {**_ROW, "setup": "local"},
    "switches_managed": {**_ROW, "data_bits": 9, "managers": [[0, 1]]},
    "switches_wires": {**_ROW, "sync": "wires"},
    "switches_both": {**_ROW, "sync": "both"},
    "circuit": {"kind": "static", "width": 2, "height": 2},
    "static_watched": {"kind": "static", "width": 2, "height": 1, "watchdog": 9},
}
"""The table ``[network]`` of each."""


def network(name: str) -> NetworkSpec:
    """Return one of them."""
    return NetworkSpec.model_validate({"name": name, "network": NETWORKS[name]})
