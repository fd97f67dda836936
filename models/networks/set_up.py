"""Whether a network's groups can be set up by packets, as it asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.explain import show

__all__ = ["FLIT_BITS", "check_set_up"]

FLIT_BITS = 32
"""Payload of a flit that holds a word of a set-up packet."""

Place = tuple[int, int]


class Managed(Protocol):
    """What decides it, whatever the kind."""

    @property
    def setup(self) -> str:
        """Who writes the barrier registers."""

    @property
    def managers(self) -> tuple[Place, ...]:
        """Nodes that set groups up."""

    @property
    def flit_bits(self) -> int:
        """Width of a flit."""

    @property
    def spill(self) -> bool:
        """Whether groups beyond the registers go to memory."""

    def has_node(self, node: Place) -> bool:
        """Return whether there is such a node."""


def check_set_up(network: Managed, datelines: Sequence[Place] = ()) -> None:
    """Refuse managers that do not exist or cannot work.

    Raises
    ------
    SpecError
        A manager is no node or named twice, flits are too narrow, or a key does not go with
        ``setup = "manager"``.
    """
    if network.setup == "local":
        if network.managers:
            raise SpecError(
                'network: managers set groups up with setup = "manager", not "local"; '
                'set it, or remove "managers"'
            )
        return
    for manager in network.managers:
        if not network.has_node(manager):
            raise SpecError(f"network: manager {show(manager)} is no node; name nodes")
    if len(set(network.managers)) < len(network.managers):
        raise SpecError("network: a manager is named twice; name each once")
    if network.flit_bits < FLIT_BITS:
        raise SpecError(
            f'network: setup = "manager" needs flit_bits of at least {FLIT_BITS}, not '
            f'{network.flit_bits}; set flit_bits = {FLIT_BITS}, or setup = "local"'
        )
    if datelines:
        raise SpecError(
            'network: setup = "manager" does not go with datelines: set-up packets keep their '
            'channel; set setup = "local"'
        )
    if network.spill:
        raise SpecError(
            'network: spill = true with setup = "manager" is not supported yet; '
            'set setup = "local", or spill = false and barrier_registers up to 64'
        )
