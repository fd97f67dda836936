"""What a plan leaves room for: groups beside its own, and members that come late."""

from __future__ import annotations

from collections import Counter

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.spec import NetworkSpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan

__all__ = ["check_churn", "free_gids", "patience"]


def patience(plan: BarrierPlan) -> int | None:
    """Return by how many cycles a group's first arrival may come before its last.

    Returns
    -------
    int or None
        What the watchdog leaves of its period when a member has been released at the beginning of a
        release that takes as long as a barrier, and waits for the end of the next; at least 0.
        None if no watchdog looks at any group.
    """
    network = plan.spec.network
    if isinstance(network, StaticSpec) or not (network.watchdog and plan.engine_groups):
        return None
    longest = max(group.bound for group in plan.engine_groups)
    return max(0, network.shape.router.layout.entries * network.watchdog - 2 * longest)  # E8


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
