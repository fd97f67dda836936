"""Barriers of planned groups on the golden model of a static network, on any graph."""

from collections.abc import Callable
from typing import Any

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.messages.static import LoaderWord
from syncfabric.models.networks.reader import loads
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.planning.static_routes import SETTLING, static_writes

BUFFERS = ("switch_buffer", "core_buffer", "injection_buffer")

When = Callable[[int, int], int]
"""Cycles from its release until a member arrives, by episode and number of the node."""


def network_of(links: str, **keys: int) -> StaticSpec:
    """Return a static network whose links a network file gives so."""
    more = "\n".join(f"{key} = {value}" for key, value in keys.items())
    network = loads(f'name = "a"\n[network]\nkind = "static"\n{links}\n{more}\n').network
    assert isinstance(network, StaticSpec)
    return network


def plan_of(links: str, planner: str = "ring", members: str = '"all"', **keys: int) -> BarrierPlan:
    """Plan a group on a static network whose links a network file gives so."""
    more = "\n".join(f"{key} = {value}" for key, value in keys.items())
    group = f'[[group]]\nid = 1\nplanner = "{planner}"\nmembers = {members}'
    return make_plan(loads(f'name = "a"\n[network]\nkind = "static"\n{links}\n{more}\n{group}\n'))


def with_places(buffers: tuple[int, int, int]) -> dict[str, Any]:
    """Return W, B and O as a network file has them."""
    return dict(zip(BUFFERS, buffers, strict=True))


class Barriers:
    """The only group of a plan, set up and quiet."""

    def __init__(self, plan: BarrierPlan) -> None:
        network: Any = plan.spec.network
        (self.group,) = plan.groups
        self.model = StaticModel(network)
        self.nodes = [network.topology.index(member) for member in self.group.members]
        for write in static_writes(network, plan.groups):
            self.model.step(config=ConfigRequest(write.target, write.address, True, write.word))
            while not self.model.config_answer[0]:
                self.model.step()
            assert not self.model.config_answer[1]
            if write.target == network.layout.loader and write.address == LoaderWord.STROBE:
                for _ in range(SETTLING):
                    self.model.step()
        self.quiesce()

    def quiesce(self) -> None:
        while self.model.idle_until() is not None:
            self.model.step()

    def run(self, episodes: int, when: When) -> list[int]:
        """Return the latency of each episode; fail where a member is released early, or never."""
        due = {node: self.model.cycle + when(0, node) for node in self.nodes}
        arrived: list[dict[int, int]] = [{} for _ in range(episodes)]
        left: list[dict[int, int]] = [{} for _ in range(episodes)]
        at = dict.fromkeys(self.nodes, 0)
        while min(at.values()) < episodes:
            now = self.model.cycle
            for node, _, _ in self.model.release:
                assert len(arrived[at[node]]) == len(self.nodes), "released early"
                left[at[node]][node] = now
                at[node] += 1
                due[node] = now + when(at[node], node)
            coming = [node for node in self.nodes if due[node] == now and at[node] < episodes]
            for node in coming:
                arrived[at[node]][node] = now
            idle = self.model.idle_until() is None and not coming
            assert not idle or max(due.values()) > now, "hangs"
            self.model.step(arrive={(node, 0): 0 for node in coming})
        return [
            max(out.values()) - max(come.values()) for come, out in zip(arrived, left, strict=True)
        ]

    def worst(self, late: int = 200, after: int = 4) -> int:
        """Return the greatest latency where each member in turn is late, then all back to back."""
        found = []
        for last in self.nodes:
            self.quiesce()

            def when(episode: int, node: int, last: int = last) -> int:
                return late * (not episode and node == last)

            found += self.run(1 + after, when)
        return max(found)
