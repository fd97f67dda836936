"""Groups of a static network: routes are loaded anew while the other groups go on."""

from __future__ import annotations

from syncfabric.models.messages import COUNTER_BASE, Counter
from syncfabric.models.messages.static import INIT, ROLE_WORD, Role, StaticWord
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import StaticGroupPlan
from syncfabric.models.planning.static_images import SETTLING, role_of, route_writes
from syncfabric.sim.drive.targets import targets_of
from syncfabric.sim.fabric import Fabric
from syncfabric.sim.lifecycle.effects import FoundError, Pause, Steps, ask_all
from syncfabric.sim.soak.life import Life

__all__ = ["ByRoutes"]


class ByRoutes:
    """Sets groups up by routes and roles.

    Parameters
    ----------
    fabric : Fabric
    network : StaticSpec
    """

    may_kill = False
    """Whether a barrier can be broken off: agents may not send while routes change."""
    refused = 0
    """Commands that were refused, and given again."""

    def __init__(self, fabric: Fabric, network: StaticSpec) -> None:
        self._fabric, self._network = fabric, network
        self._living: dict[int, StaticGroupPlan] = {}
        self._at_rest: dict[int, dict[int, int]] = {}  # what a tree's links hold, by its plan
        self.settled = 8 * len(network.topology.nodes)

    def set_up(self, life: Life) -> Steps[None]:
        """Load the group's routes beside the others', and tell its members their roles."""
        group = life.group
        assert isinstance(group, StaticGroupPlan)
        self._living[life.gid] = group
        yield from self._load(group)
        index = self._network.topology.index
        roles = [
            (
                index(node),
                int(StaticWord.ROLE),
                ROLE_WORD.pack({"role": role_of(group, node), "flits": group.flits or 0}),
            )
            for node in group.members
        ]
        init = (index(group.root), int(StaticWord.COMMAND), INIT)
        yield from ask_all([*roles, init], "set up")
        yield Pause(self.settled)
        self._see_rest(group)

    def tear_down(self, life: Life) -> Steps[None]:
        """When all is at rest: see that every flit is in its place, and take the routes away."""
        group = self._living[life.gid]
        yield Pause(self.settled)
        self._see_rest(group)
        yield from self.break_off(life)

    def again(self) -> ByRoutes:
        """Return one that knows what this one does, and may learn more."""
        twin = ByRoutes(self._fabric, self._network)
        twin._living, twin._at_rest = dict(self._living), dict(self._at_rest)
        return twin

    def break_off(self, life: Life) -> Steps[None]:
        """Take a group's routes away, whatever it is doing: its agents are as after reset."""
        group = self._living.pop(life.gid)
        yield from self._load(group)
        word = ROLE_WORD.pack({"role": Role.NONE, "flits": 0})
        yield from ask_all([(node, int(StaticWord.ROLE), word) for node in life.nodes], "torn down")

    def see_the_end(self, *, killed: bool) -> Steps[None]:
        """See that no counter of the network has counted anything.

        Raises
        ------
        FoundError
            One has.
        """
        for target in range(len(targets_of(self._network))):
            counters = [(target, COUNTER_BASE + counter, None) for counter in Counter]
            counts = yield from ask_all(counters, "read at the end")
            for counter, count in zip(Counter, counts, strict=True):
                if count:
                    raise FoundError(f"target {target} has counted {count} {counter.name}")

    def _see_rest(self, group: StaticGroupPlan) -> None:
        """See that a ring is empty, and a tree as full as it was when it was first set up.

        Raises
        ------
        FoundError
            A link holds fewer or more flits.
        """
        held = self._held(group)
        wanted = {} if group.flits is None else self._at_rest.setdefault(id(group), held)
        for link in wanted.keys() | held.keys():
            if held.get(link, 0) != wanted.get(link, 0):
                raise FoundError(
                    f"at rest, and link {link} holds {held.get(link, 0)} flits, not "
                    f"{wanted.get(link, 0)}"
                )

    def _load(self, changed: StaticGroupPlan) -> Steps[None]:
        """Load the routes of all that live; flush those of the group that comes or goes."""
        routes = {
            output: port
            for group in self._living.values()
            for output, port in group.routes().items()
        }
        cores = ((*node, Port.LOCAL) for node in changed.members)
        flush = {*changed.routes(), *cores}
        yield from ask_all(list(route_writes(self._network, routes, flush)), "routes")
        yield Pause(SETTLING)

    def _held(self, group: StaticGroupPlan) -> dict[int, int]:
        """Return the flits on the group's links between switches."""
        own = {
            len(Port) * self._network.topology.index((x, y)) + port
            for x, y, port in group.routes()
            if port != Port.LOCAL
        }
        return {link: flits for link, (flits, _) in self._fabric.held().items() if link in own}
