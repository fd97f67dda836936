"""The golden model of any kind of network."""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.golden.irregular import IrregularModel
from syncfabric.models.golden.irregular_set_up import ManagedIrregularModel
from syncfabric.models.golden.mesh import MeshModel
from syncfabric.models.golden.mesh_set_up import ManagedMeshModel
from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.record import Observer
from syncfabric.models.golden.wire_wiring import WireWiring
from syncfabric.models.golden.wires import WireModel
from syncfabric.models.networks.spec import (
    IrregularSpec,
    MessageSpec,
)

__all__ = ["model_of", "wires_of"]


def model_of(network: MessageSpec, *, observer: Observer | None = None) -> GoldenModel:
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
    mesh = ManagedMeshModel if network.managed else MeshModel
    return mesh(network, observer=observer)


def wires_of(
    network: MessageSpec, *, counters: Sequence[list[int]] | None = None
) -> WireModel | None:
    """Return the golden model of a network's barrier wires as after reset; None without wires.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        The table ``[network]`` of the network file.
    counters : sequence of list of int, by unit, optional
        What messages count in, if the network has both.
    """
    plane = network.wire_plane
    if plane is None:
        return None
    if isinstance(network, IrregularSpec):
        wiring = WireWiring.of_irregular(network.topology)
    else:
        wiring = WireWiring.of_mesh(network.mesh)
    return WireModel(wiring, plane, first=network.first_slot, counters=counters)
