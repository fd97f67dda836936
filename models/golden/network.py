"""The golden model of any kind of network."""

from __future__ import annotations

from syncfabric.models.golden.irregular import IrregularModel
from syncfabric.models.golden.irregular_set_up import ManagedIrregularModel
from syncfabric.models.golden.mesh import MeshModel
from syncfabric.models.golden.mesh_set_up import ManagedMeshModel
from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.record import Observer
from syncfabric.models.golden.serial_mesh import SerialMeshModel
from syncfabric.models.networks.spec import (
    IrregularSpec,
    RegisterSpec,
)

__all__ = ["model_of"]


def model_of(network: RegisterSpec, *, observer: Observer | None = None) -> GoldenModel:
    """Return a golden model as it is after reset.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        The table ``[network]`` of the network file.
    observer : Observer, optional
        Hears of packets, messages and flits.
    """
    if isinstance(network, IrregularSpec):
        irregular = ManagedIrregularModel if network.managed else IrregularModel
        return irregular(network, observer=observer)
    if network.managed:
        return ManagedMeshModel(network, observer=observer)
    mesh = SerialMeshModel if network.barrier_unit == "serial" else MeshModel
    return mesh(network, observer=observer)
