"""How much a manager can be told at once."""

from __future__ import annotations

from syncfabric.models.errors import PlanError
from syncfabric.models.messages import SEQUENCE_BITS
from syncfabric.models.networks.spec import MeshSpec, RegisterSpec

__all__ = ["check_command"]

MOST_ENTRIES = 1 << SEQUENCE_BITS
"""Requests that a command can make: it tells their replies apart."""


def check_command(network: RegisterSpec, gid: int, routers: int) -> None:
    """Refuse a group that no manager can set up.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
    gid : int
        The group.
    routers : int
        Nodes of its tree on a mesh, else switches: each is sent a request.

    Raises
    ------
    PlanError
        Managers are to set it up, and it has more than a command can have.
    """
    if network.managed and routers > MOST_ENTRIES:
        named = "nodes" if isinstance(network, MeshSpec) else "switches"
        raise PlanError(
            f"group {gid}: its tree has {routers:,} {named}, and a manager's command can ask "
            f'{MOST_ENTRIES:,}; set setup = "local" in [network]'
        )
