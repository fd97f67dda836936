"""The router of packets, written from docs/microarchitecture-engine.md alone."""

from syncfabric.models.golden.router.router import Channel, Flit, Router, RouterOutputs
from syncfabric.models.golden.router.routing import (
    XY,
    Pairs,
    Port,
    Routing,
    Source,
    Table,
    all_pairs,
)

__all__ = [
    "XY",
    "Channel",
    "Flit",
    "Pairs",
    "Port",
    "Router",
    "RouterOutputs",
    "Routing",
    "Source",
    "Table",
    "all_pairs",
]
