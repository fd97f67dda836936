"""Who sets engines up where nobody manages that: paper BTIN's representatives.

Source: paper BTIN, section 3.1, Setup_Register, step 6.
"""

from __future__ import annotations

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.irregular import Place
from syncfabric.models.planning.links.group_plan import GroupPlan

__all__ = ["asked_node", "check_representatives", "duties"]


def asked_node(group: GroupPlan, router: int) -> Place:
    """Return the node that is asked to set a router's engine up: that at its lowest port."""
    topology = group.graph.topology
    return router, min(p for p in range(topology.ports) if topology.node_at(router, p) is not None)


def check_representatives(group: GroupPlan) -> None:
    """Refuse a group with a router whose engine nobody could set up.

    Raises
    ------
    PlanError
        Its root's router has no member, or another router of its tree has no node.
    """
    remedy = 'set planner = "btin", or setup = "local" or "manager"'
    if group.root_node is None:
        raise PlanError(
            f"group {group.id}: root {group.graph.name(group.shape.root)} of its tree has no"
            f' member, and with setup = "paper" members alone set engines up; {remedy}'
        )
    with_nodes = {router for router, _ in group.graph.topology.nodes}
    for router in group.placement:
        if router not in with_nodes:
            raise PlanError(
                f"group {group.id}: {group.graph.name(router)} of its tree has no node, and with"
                ' setup = "paper" a node must set its engine up; put a node there, or set setup ='
                ' "local" or "manager"'
            )


def duties(group: GroupPlan) -> dict[int, tuple[int, ...]]:
    """Return the routers that each representative answers for, by the number of its node.

    The representative of a router is the member at its lowest port. It answers for that router,
    whose engine it sets up itself, and then for those without members below, down to the next
    routers with members: it asks a node of each.

    Parameters
    ----------
    group : GroupPlan
        Whose root's router has a member.
    """
    shape = group.shape
    first: dict[int, int] = {}
    for router, port in sorted(shape.nodes.tolist()):
        first.setdefault(router, group.graph.topology.index((router, port)))
    found: dict[int, list[int]] = {}
    # From the root down, so that a representative's own router comes before those below it.
    for position in shape.depth.argsort(kind="stable").tolist():
        router = int(shape.routers[position])
        if router not in first:
            first[router] = first[int(shape.routers[shape.parent[position]])]
        found.setdefault(first[router], []).append(router)
    return {node: tuple(routers) for node, routers in found.items()}
