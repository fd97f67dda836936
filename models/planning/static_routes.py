"""What the outputs of a static network's switches select, so that a ring or a tree comes about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.mesh import STEP, Node, Port
from syncfabric.models.planning.route_chain import Output
from syncfabric.models.planning.static_images import StaticGroup

__all__ = ["Routes", "listening", "ring_routes", "token_routes", "tree_routes", "turned_ring"]

Routes = dict[Output, Port]
"""The input that each output selects."""

PORT = {step: port for port, step in STEP.items()}


def turned_ring(switches: Sequence[Node], members: Sequence[Node]) -> list[Node]:
    """Return a ring from its root on: the member behind the longest way without another.

    So the release, which the root sends and the last member reads, has the least way to go. Of
    several, the root is the first in ``members``.

    Parameters
    ----------
    switches : sequence of Node
        The ring, from any switch on; it may pass a switch more than once.
    members : sequence of Node
        All on the ring.
    """
    order = {member: place for place, member in enumerate(members)}
    count = len(switches)
    seen: defaultdict[Node, int] = defaultdict(int)
    last, missing = -1, len(members)
    best: tuple[int, int, int] | None = None
    # The shortest stretch from each switch on that passes all members: both ends only move on.
    for first in range(count):
        while missing and last < first + count - 1:
            last += 1
            switch = switches[last % count]
            if switch in order:
                missing -= not seen[switch]
                seen[switch] += 1
        switch = switches[first]
        if switch not in order:
            continue
        best = min(best or (count, 0, 0), (last - first, order[switch], first))
        seen[switch] -= 1
        missing += not seen[switch]
    assert best is not None
    first = best[2]
    return [*switches[first:], *switches[:first]]


def listening(ring: Sequence[Node], members: Iterable[Node]) -> dict[Node, int]:
    """Return at which place of a ring each member listens: the root at its end, 0; others first.

    Parameters
    ----------
    ring : sequence of Node
        From its root on.
    members : iterable of Node
        All on the ring.
    """
    first: dict[Node, int] = {}
    for place, switch in enumerate(ring):
        first.setdefault(switch, place)
    return {member: first[member] for member in members}


def ring_routes(ring: Sequence[Node], members: Collection[Node]) -> Routes:
    """Return the routes of a ring: its root's core sends, and listens at the end.

    Parameters
    ----------
    ring : sequence of Node
        From its root on; two or more.
    members : collection of Node
        All on the ring.
    """
    inputs = [_port(switch, before) for before, switch in _joined(ring)]
    routes: Routes = {}
    for place, (before, after) in enumerate(zip(ring, [*ring[1:], ring[0]], strict=True)):
        routes[(*before, _port(before, after))] = inputs[place] if place else Port.LOCAL
    for member, place in listening(ring, members).items():
        routes[(*member, Port.LOCAL)] = inputs[place]
    return routes


def tree_routes(root: Node, edges: Sequence[tuple[Node, Node]], members: Iterable[Node]) -> Routes:
    """Return the routes of a multicast tree from its root's core.

    Parameters
    ----------
    root : Node
    edges : sequence of (Node, Node)
        Every switch and the one above it, neighbours.
    members : iterable of Node
    """
    inputs = {switch: _port(switch, above) for switch, above in edges}
    inputs[root] = Port.LOCAL
    routes = {(*above, _port(above, switch)): inputs[above] for switch, above in edges}
    routes |= {(*member, Port.LOCAL): inputs[member] for member in members if member != root}
    return routes


def _joined(ring: Sequence[Node]) -> Iterator[tuple[Node, Node]]:
    """Yield each switch behind the one before it, the first behind the last."""
    return zip([ring[-1], *ring[:-1]], ring, strict=True)


def _port(switch: Node, neighbor: Node) -> Port:
    return PORT[neighbor[0] - switch[0], neighbor[1] - switch[1]]


def token_routes(group: StaticGroup) -> Mapping[Output, Port]:
    """Return a ring's routes with every member's core in the way, over the same links.

    Source: paper Reflex, section VI, names reductions as future work. Switches copy flits and
    cannot combine them, so a reduction is a token that goes from core to core.

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
