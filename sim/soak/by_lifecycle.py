"""Groups on collective engines, in entries that are chosen for each life."""

from __future__ import annotations

from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.plan import GroupPlan
from syncfabric.sim.fabric import Fabric
from syncfabric.sim.lifecycle import lifecycle_of
from syncfabric.sim.lifecycle.counters import counters_of
from syncfabric.sim.lifecycle.effects import FoundError, Steps, ask_all
from syncfabric.sim.soak.life import Life, await_broken

__all__ = ["ByLifecycle"]


class ByLifecycle:
    """Sets groups up by the network's managers, or over the config chain where there are none.

    Parameters
    ----------
    fabric : Fabric
    network : MessageSpec
    """

    may_kill = True
    """Whether a barrier can be broken off."""

    def __init__(self, fabric: Fabric, network: MessageSpec) -> None:
        self._fabric, self._network = fabric, network
        self._software = lifecycle_of(network.shape)

    @property
    def refused(self) -> int:
        """Commands that were refused, and given again."""
        return self._software.refused

    def set_up(self, life: Life) -> Steps[None]:
        """Set a group up in its entries, and await GO at its members."""
        assert isinstance(life.group, GroupPlan)
        yield from self._software.set_up(life.group)
        yield from self._software.await_ready(life.group)

    def tear_down(self, life: Life) -> Steps[None]:
        """Await the end of a group after its last barrier, or kill it during one."""
        assert isinstance(life.group, GroupPlan)
        if not life.killed:
            yield from self._software.tear_down(life.group)
            return
        yield from self._software.kill(life.group)
        yield from await_broken(self._fabric, life)

    def see_the_end(self, *, killed: bool) -> Steps[None]:
        """See that no entry is alive, no link holds anything, and nothing was dropped.

        Parameters
        ----------
        killed : bool
            Some group was: then engines may have dropped what was under way for it.

        Raises
        ------
        FoundError
            Something is left, or was dropped.
        """
        shape = self._network.shape
        layout = shape.router.layout
        for router in range(shape.routers):
            words = [COMMIT.pack({"code": Code.READ, "entry": e}) for e in range(layout.entries)]
            reads = [(shape.target_of(router), 0, word) for word in words]
            for entry, word in enumerate((yield from ask_all(reads, "read at the end"))):
                if layout.status.unpack(word)["alive"]:
                    raise FoundError(f"entry {entry} of router {router} is left")
        for link, (flits, messages) in self._fabric.held().items():
            if flits or (messages and layout.routed):  # others have no credits
                raise FoundError(
                    f"all is over, and link {link} holds {flits} flits and {messages} messages"
                )
        allowed = {"engine OVERFLOW", "engine UNEXPECTED"} if killed else set()
        allowed |= {"engine REFUSED_COMMAND"} if killed or self.refused else set()
        for counter in counters_of(self._network):
            (count,) = yield from ask_all([(*counter.place, None)], "read at the end")
            if count and counter.name not in allowed:
                raise FoundError(f"target {counter.place[0]} has counted {count} {counter.name}")
