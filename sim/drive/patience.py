"""How far members may be apart, so that no watchdog trips."""

from syncfabric.models.networks.spec import EngineSpec
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
    if isinstance(network, EngineSpec):
        router, bounds = network.shape.router, [group.bound for group in plan.engine_groups]
        if not (router.watchdog and bounds):
            return None
        return max(0, router.layout.entries * router.watchdog - 2 * max(bounds))  # E8
    if not plan.wire_groups:
        return None
    plane = plan.spec.message_network.wire_plane
    if plane is None or not plane.watchdog:
        return None
    return max(0, plane.watchdog - 2 * max(group.bound for group in plan.wire_groups))
