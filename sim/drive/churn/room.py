"""Whether a network has room for groups that come and go beside its own."""

from __future__ import annotations

from collections import Counter

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.spec import NetworkSpec

__all__ = ["check_churn", "free_gids"]


def free_gids(spec: NetworkSpec) -> list[int]:
    """Return the group numbers that a network's own groups leave."""
    return sorted(set(range(256)) - {group.id for group in spec.groups})


def check_churn(spec: NetworkSpec) -> None:
    """Refuse a network on which no group can come and go.

    Raises
    ------
    SpecError
        It is static, its groups are not set up by software, or they leave no room.
    """
    network = spec.message_network
    if not free_gids(spec):
        raise SpecError(
            f"churn: the groups of {spec.name} have all 256 ids, so there is none for another; "
            "remove a group"
        )
    if network.setup == "paper":
        raise SpecError(
            f"churn: groups of {spec.name} are not set up by software with setup = "
            f'"{network.setup}"; set setup = "manager" or "local" in [network]'
        )
    used = Counter(member for group in spec.groups for member in group.members)
    registers = network.port_registers
    room = sum(used[node] < registers for node in network.topology.nodes)
    if room < 2:
        raise SpecError(
            f"churn: {room} of the nodes of {spec.name} can take another group, and a group that "
            f"comes and goes has two members; set groups above {network.groups} in [network], or "
            "remove a group"
        )
