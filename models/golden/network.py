"""The golden model of a network of collective engines."""

from __future__ import annotations

from dataclasses import replace

from syncfabric.models.golden.planes.collective_network import CollectiveNetwork
from syncfabric.models.golden.record import Observer
from syncfabric.models.networks.spec import IrregularSpec, MessageSpec
from syncfabric.models.planning.updown import routing_tables

__all__ = ["model_of"]


def model_of(network: MessageSpec, *, observer: Observer | None = None) -> CollectiveNetwork:
    """Return a golden model as it is after reset.

    Parameters
    ----------
    network : MessageSpec
        The table ``[network]`` of the network file.
    observer : Observer, optional
        Hears of packets, messages and flits.
    """
    shape = network.shape
    if isinstance(network, IrregularSpec) and network.routed_by_tables:
        rows = ([max(port, 0) for port in row] for row in routing_tables(network))
        shape = replace(shape, routes=tuple(map(tuple, rows)))
    return CollectiveNetwork(shape, observer=observer)
