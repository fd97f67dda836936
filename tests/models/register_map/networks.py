"""A small network of each form that a register map can have."""

from typing import Any

from syncfabric.models.networks.spec import NetworkSpec

_MESH = {"kind": "mesh", "width": 2, "height": 2}
_CLUSTER = {
    **{"kind": "irregular", "ports": 4, "switches": 2},
    **{"links": [[[0, 0], [1, 3]]], "nodes": [[0, 1], [0, 2], [1, 0]]},
}

NETWORKS: dict[str, dict[str, Any]] = {
    "bare": {**_MESH, "channels": 0, "data_bits": 0, "groups": 2},
    "packets": {**_MESH, "groups": 3, "data_bits": 9, "check_bits": 4},
    "routed": {**_MESH, "transport": "routed", "setup": "manager", "managers": [[1, 0], [1, 1]]},
    "chained": {**_CLUSTER, "setup": "local", "check_bits": 2},
    "silent": {**_CLUSTER, "setup": "local", "check_bits": 1, "channels": 0},
    "wired": {**_MESH, "wires": 2, "groups": 2, "counters": False, "port_registers": 3},
    "wired_cluster": {**_CLUSTER, "wires": 1, "setup": "local", "check_bits": 1},
    "managed": {**_CLUSTER, "managers": [[0, 2]], "groups": 5},
    "circuit": {"kind": "static", "width": 2, "height": 2},
    "static_watched": {"kind": "static", "width": 2, "height": 1, "watchdog": 9},
}
"""The table ``[network]`` of each."""
STATIC = [name for name, keys in NETWORKS.items() if keys["kind"] == "static"]
ENGINES = [name for name in NETWORKS if name not in STATIC]


def network(name: str) -> NetworkSpec:
    """Return one of them."""
    return NetworkSpec.model_validate({"name": name, "network": NETWORKS[name]})
