"""A ring led through its members' cores, so that each can change what it passes on.

Source: paper Reflex, section VI, names reductions as future work. Switches copy flits and cannot
combine them, so a reduction is a token that goes from core to core.
"""

from __future__ import annotations

from collections.abc import Mapping

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.mesh import Port
from syncfabric.models.planning.route_chain import Output
from syncfabric.models.planning.static_images import StaticGroup

__all__ = ["token_routes"]


def token_routes(group: StaticGroup) -> Mapping[Output, Port]:
    """Return a ring's routes with every member's core in the way, over the same links.

    Where the switch of a member passes the ring on, that output listens to its core in place of
    the input that the core listens to. The root's sends as it does on every ring.

    Raises
    ------
    PlanError
        The group is no ring.
    """
    if group.flits is not None or len(group.members) < 2:
        raise PlanError("a token goes round a ring of two members or more; this group has none")
    routes = dict(group.routes())
    for x, y in group.members:
        if (x, y) == group.root:
            continue
        entry = routes[x, y, Port.LOCAL]
        onward = next(
            port for port in Port if port is not Port.LOCAL and routes.get((x, y, port)) is entry
        )
        routes[x, y, onward] = Port.LOCAL
    return routes
