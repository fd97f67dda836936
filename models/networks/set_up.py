"""Whether a network's groups can be set up by packets, as it asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.explain import show
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Mesh

__all__ = ["FLIT_BITS", "SetUp", "check_set_up"]

FLIT_BITS = 32
"""Payload of a flit that holds a word of a set-up packet."""

Place = tuple[int, int]


class Asks(Protocol):
    """The keys that decide it, whatever the kind."""

    @property
    def setup(self) -> str:
        """Who writes the barrier registers."""

    @property
    def managers(self) -> tuple[Place, ...]:
        """Nodes that set groups up."""

    @property
    def channels(self) -> int:
        """Ordinary channels of a link."""

    @property
    def flit_bits(self) -> int:
        """Width of a flit."""

    @property
    def topology(self) -> Mesh | Irregular:
        """Its nodes."""

    @property
    def model_fields_set(self) -> set[str]:
        """Keys that were given; the others have their defaults."""


class SetUp:
    """What follows from these keys, for every kind of network."""

    @property
    def managed(self: Asks) -> bool:
        """Whether managers set groups up and tear them down by packets."""
        return self.setup == "manager"

    @property
    def manager_nodes(self: Asks) -> tuple[Place, ...]:
        """The nodes that set groups up: those named, or the first node."""
        if self.setup != "manager":
            return ()
        return self.managers or (self.topology.node(0),)

    @property
    def link_channels(self: Asks) -> int:
        """Channels of a link: the ordinary ones, and one for set-up packets where there are any."""
        return self.channels + (self.setup == "manager")


def check_set_up(network: Asks, datelines: Sequence[Place] = ()) -> None:
    """Refuse managers that do not exist or cannot work, and a way of set-up that cannot be.

    So is a default that cannot be: narrow flits shall not decide in silence who sets groups up.

    Raises
    ------
    SpecError
        A manager is no node or named twice, flits are too narrow, or a key does not go with
        ``setup``.
    """
    if network.setup != "manager" and network.managers:
        raise SpecError(
            f'network: managers set groups up with setup = "manager", not "{network.setup}"; '
            'set it, or remove "managers"'
        )
    if network.setup == "local":
        return
    if network.setup == "paper" and isinstance(network.topology, Mesh):
        raise SpecError(
            'network: setup = "paper" is paper BTIN\'s way, for irregular networks; on a mesh '
            'members work out their own registers: set setup = "local"'
        )
    for manager in network.managers:
        if not network.topology.contains(manager):
            raise SpecError(f"network: manager {show(manager)} is no node; name nodes")
    if len(set(network.managers)) < len(network.managers):
        raise SpecError("network: a manager is named twice; name each once")
    default = "" if "setup" in network.model_fields_set else ", the default,"
    if network.flit_bits < FLIT_BITS:
        raise SpecError(
            f'network: setup = "{network.setup}"{default} needs flit_bits of at least '
            f"{FLIT_BITS}, not {network.flit_bits}; set flit_bits = {FLIT_BITS}, or "
            'setup = "local"'
        )
    if datelines and network.setup == "manager":
        raise SpecError(
            f'network: setup = "manager"{default} does not go with datelines: set-up packets keep '
            'their channel; set setup = "local"'
        )
