"""Nodes, node interfaces and whole networks on the collective engine."""

from syncfabric.models.golden.planes.collective_network import CollectiveNetwork
from syncfabric.models.golden.planes.interface import (
    InterfaceInputs,
    InterfaceOutputs,
    InterfaceParameters,
    NodeInterface,
)
from syncfabric.models.golden.planes.network import NodeNetwork
from syncfabric.models.golden.planes.node import Node
from syncfabric.models.golden.planes.pins import NodeInputs, NodeOutputs, NodeParameters

__all__ = [
    "CollectiveNetwork",
    "InterfaceInputs",
    "InterfaceOutputs",
    "InterfaceParameters",
    "Node",
    "NodeInputs",
    "NodeInterface",
    "NodeNetwork",
    "NodeOutputs",
    "NodeParameters",
]
