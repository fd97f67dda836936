"""Networks of barrier wires alone, from the parameters of their plane."""

from __future__ import annotations

from typing import Any

from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.wires import WireModel
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import IrregularSpec, MeshSpec
from syncfabric.models.networks.wires import WirePlane

__all__ = ["keys_of", "wired_mesh", "wired_switches", "wires_in"]


def keys_of(plane: WirePlane) -> dict[str, Any]:
    """Return the keys of ``[network]`` that ask for a plane."""
    return {
        "setup": "local",
        "barrier_registers": plane.slots,
        "data_bits": plane.data_bits,
        "link_registers": plane.link_registers,
        "wires": "shared" if plane.shared else "separate",
        "parity": plane.parity,
        "watchdog": plane.watchdog,
    }


def wired_mesh(width: int, height: int, plane: WirePlane) -> MeshSpec:
    """Return a mesh of wires and nothing else."""
    keys = {"kind": "mesh", "width": width, "height": height, "sync": "wires", "channels": 0}
    return MeshSpec.model_validate(keys | keys_of(plane))


def wired_switches(topology: Irregular, plane: WirePlane) -> IrregularSpec:
    """Return an irregular network of wires and nothing else."""
    keys = {
        "kind": "irregular",
        "ports": topology.ports,
        "switches": topology.switches,
        "links": topology.links,
        "nodes": topology.nodes,
        "sync": "wires",
        "channels": 0,
    }
    return IrregularSpec.model_validate(keys | keys_of(plane))


def wires_in(model: GoldenModel) -> WireModel:
    """Return a model's wires."""
    assert model.wires is not None
    return model.wires
