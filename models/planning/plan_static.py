"""Plans of static networks: rings and trees side by side, no two over the same directed link.

Each group is planned alone first. Then they are laid one after another over the links that are
left. A group that finds no route is laid across some of the others, and these are laid anew: rip-up
and reroute, as for wires. At last every group that is worse off than alone tries the same, and it
stays so if all together are better off.

Source: after W. Dees, P. Karger, Automated Rip-up and Reroute Techniques, Design Automation
Conference, 1982. Everything random comes from one fixed seed.
"""

import random
from collections import deque
from collections.abc import Collection, Mapping, Sequence

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.dead import NOTHING, Dead
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import GroupSpec, StaticSpec
from syncfabric.models.planning.free_links import Output
from syncfabric.models.planning.group_plan import GroupPlan, Route, laid
from syncfabric.models.planning.multicast_tree import Multicast, best_tree
from syncfabric.models.planning.ring import Least, Ring, best_ring, ring_beside

TRIES = 150
"""Times for each group that one is laid, until all have a route."""
BETTER = 2
"""Times for each group that shorter routes are tried."""
KEPT = 0.5
"""Part of the others that a route which is laid across them leaves alone."""
SHAKES = 100
"""Pieces of a ring that are mended in that."""
ALONE_SHAKES = 300
"""Pieces of a ring around what is dead, where all other links are free."""


def plan_static(
    network: StaticSpec,
    groups: Sequence[GroupSpec],
    dead: Dead = NOTHING,
    beside: Collection[Output] = (),
) -> tuple[GroupPlan, ...]:
    """Plan every group's ring or tree, no two over the same directed link.

    Parameters
    ----------
    network : StaticSpec
    groups : sequence of GroupSpec
    dead : Dead
        Links that none takes.
    beside : collection of Output
        Links of groups that stay as they are, by where they leave.

    Raises
    ------
    PlanError
        A group has no ring, or no route was found for it beside the others'.
    """
    several = [group for group in groups if len(group.members) > 1]
    board = _Board(network.graph, several, dead, beside)
    board.lay_all()
    board.improve()
    return tuple(_planned(group, board.laid.get(group.id), network) for group in groups)


def _planned(group: GroupSpec, route: Route | None, network: StaticSpec) -> GroupPlan:
    if route is None:
        (alone,) = group.members
        ring = group.planner == "ring"
        at = network.graph, alone, list[Output]()
        route = Ring(*at, Least(0, "sides")) if ring else Multicast(*at, 0, 0)
    if isinstance(route, Ring):
        route = route.turned(group.members)
    return laid(group.id, group.planner, group.op, group.members, route, network)


class _Board:
    """The routes that are laid so far."""

    def __init__(
        self, graph: Irregular, groups: Sequence[GroupSpec], dead: Dead, beside: Collection[Output]
    ) -> None:
        self.graph, self._closed = graph, dead.links.union(beside)
        self.members = {group.id: group.members for group in groups}
        self.alone = {group.id: _alone(graph, group, dead, self._closed) for group in groups}
        self.laid: dict[int, Route] = {}
        self.rng = random.Random(len(groups))

    def lay_all(self) -> None:
        """Lay every group's route: rings first, and long ones."""
        waiting = deque(sorted(self.alone, key=self._demand, reverse=True))
        for _ in range(TRIES * len(waiting)):
            if not waiting:
                return
            gid = waiting.popleft()
            if not self._lay(gid, 0):
                waiting.extend(self._push_in(gid))
        if waiting:
            raise self._refusal(waiting[0])

    def improve(self) -> None:
        """Lay groups that are worse off than alone anew, and keep what is better for all."""
        for _ in range(BETTER * len(self.laid)):
            worse = [gid for gid, route in self.laid.items() if route.excess]
            if not worse:
                return
            gid, before = self.rng.choice(worse), self.laid
            for across in (True, False):
                self.laid = {other: route for other, route in before.items() if other != gid}
                anew = self._push_in(gid) if across else [gid]
                if all(self._lay(other, SHAKES) for other in anew) and _excess(self.laid) < _excess(
                    before
                ):
                    break
                self.laid = before

    def _push_in(self, gid: int) -> list[int]:
        """Lay a group's route across some others, drawn at random; return them, laid no more."""
        others = self.laid
        self.laid = {other: route for other, route in others.items() if self.rng.random() < KEPT}
        if not self._lay(gid, 0):
            self.laid = {gid: self.alone[gid]}
        taken = set(self.laid[gid].outputs)
        ripped = []
        for other, route in others.items():
            if taken.isdisjoint(route.outputs):
                self.laid[other] = route
            else:
                ripped.append(other)
        return ripped

    def _lay(self, gid: int, shakes: int) -> bool:
        """Lay a group's route over the links that are left; return whether there is one."""
        taken = {link for route in self.laid.values() for link in route.outputs}
        taken |= self._closed
        alone = self.alone[gid]
        route: Route | None
        if isinstance(alone, Ring):
            route = ring_beside(self.members[gid], taken, alone, shakes)
        else:
            route = best_tree(self.graph, self.members[gid], taken)
        if route is not None:
            self.laid[gid] = route
        return route is not None

    def _demand(self, gid: int) -> tuple[bool, int]:
        route = self.alone[gid]
        return route.ring is not None, route.length

    def _refusal(self, gid: int) -> PlanError:
        others = ", ".join(str(other) for other in self.alone if other != gid)
        kind, remedy = "tree", "move members, or plan fewer groups at once"
        if self.alone[gid].ring is not None:
            kind, remedy = "ring", 'set planner = "tree"'
        return PlanError(
            f'group {gid}: planner = "{kind}" found no {kind} that shares no link with those of '
            f"groups {others}, though there may be one; {remedy}"
        )


def _alone(graph: Irregular, group: GroupSpec, dead: Dead, closed: Collection[Output]) -> Route:
    """Return a group's route where all links but closed ones are free."""
    if group.planner == "tree":
        tree = best_tree(graph, group.members, closed)
        if tree is None:
            raise PlanError(
                f'group {group.id}: planner = "tree" found no tree that shares no link with those '
                "of groups that stay as they are; plan all groups anew"
            )
        return tree
    ring = best_ring(graph, group.members)
    if ring is not None and closed:
        around = ring_beside(group.members, closed, ring, ALONE_SHAKES)
        if around is None:
            without = f"without {dead}" if dead else "beside groups that stay as they are"
            raise PlanError(
                f'group {group.id}: planner = "ring" found no ring {without}; set planner = "tree"'
            )
        return around
    if ring is None:
        mesh = f"{graph.columns}x{graph.switches // graph.columns} mesh"
        raise PlanError(
            f'group {group.id}: planner = "ring" has no ring on a {mesh}, where it would turn back '
            'at a switch, which none can; set planner = "tree"'
        )
    return ring


def _excess(laid: Mapping[int, Route]) -> int:
    return sum(route.excess for route in laid.values())
