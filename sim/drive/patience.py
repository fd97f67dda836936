"""How far members may be apart, so that no watchdog trips."""

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan

__all__ = ["patience"]


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
