"""The golden model of any kind of network."""

from __future__ import annotations

from dataclasses import replace
from typing import overload

from syncfabric.models.golden.irregular import IrregularModel
from syncfabric.models.golden.irregular_set_up import ManagedIrregularModel
from syncfabric.models.golden.mesh import MeshModel
from syncfabric.models.golden.mesh_set_up import ManagedMeshModel
from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.planes.collective_network import CollectiveNetwork
from syncfabric.models.golden.record import Observer
from syncfabric.models.networks.spec import (
    EngineIrregularSpec,
    EngineSpec,
    IrregularSpec,
    MessageSpec,
    RegisterSpec,
)
from syncfabric.models.planning.updown import routing_tables

__all__ = ["model_of"]


@overload
def model_of(network: RegisterSpec, *, observer: Observer | None = None) -> GoldenModel: ...
@overload
def model_of(network: EngineSpec, *, observer: Observer | None = None) -> CollectiveNetwork: ...
def model_of(
    network: MessageSpec, *, observer: Observer | None = None
) -> GoldenModel | CollectiveNetwork:
    """Return a golden model as it is after reset.

    Parameters
    ----------
    network : MessageSpec
        The table ``[network]`` of the network file.
    observer : Observer, optional
        Hears of packets, messages and flits.
    """
    if isinstance(network, EngineSpec):
        shape = network.shape
        if isinstance(network, EngineIrregularSpec) and network.routed_by_tables:
            rows = ([max(port, 0) for port in row] for row in routing_tables(network))
            shape = replace(shape, routes=tuple(map(tuple, rows)))
        return CollectiveNetwork(shape, observer=observer)
    if isinstance(network, IrregularSpec):
        irregular = ManagedIrregularModel if network.managed else IrregularModel
        return irregular(network, observer=observer)
    if network.managed:
        return ManagedMeshModel(network, observer=observer)
    return MeshModel(network, observer=observer)
