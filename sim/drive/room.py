"""What a plan leaves room for: groups beside its own, and members that come late."""

from __future__ import annotations

from syncfabric.models.networks.spec import NetworkSpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan

__all__ = ["free_gids", "patience"]


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
