"""Nodes and their networks, written from docs/microarchitecture-engine.md alone."""

from syncfabric.models.golden.planes.network import NodeNetwork
from syncfabric.models.golden.planes.node import (
    Node,
    NodeInputs,
    NodeOutputs,
    NodeParameters,
    RouterCounter,
)
from syncfabric.models.layout.node import Target

__all__ = [
    "Node",
    "NodeInputs",
    "NodeNetwork",
    "NodeOutputs",
    "NodeParameters",
    "RouterCounter",
    "Target",
]
