"""Groups on golden networks, set up as their plan says, and how long their barriers take."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from syncfabric.models.golden.network import CollectiveNetwork
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.layout.words import EngineWord
from syncfabric.models.networks.spec import IrregularSpec, MessageSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.set_up import Epochs, Write, set_up_writes
from syncfabric.models.planning.updown import updown_tables

MOST = 2000


class Barriers:
    """A network with groups, which are set up over its config chain and then stay."""

    def __init__(self, network: MessageSpec, plans: Sequence[GroupPlan]) -> None:
        self.plans = plans
        shape = network.shape
        if isinstance(network, IrregularSpec):
            shape = replace(shape, routes=tuple(map(tuple, updown_tables(network.topology))))
        self.net = CollectiveNetwork(shape)
        self.epochs = Epochs()
        for write in set_up_writes(plans, network.shape, self.epochs):
            self.write(write)
        self.rest(4 * max(plan.bound for plan in plans) + 20)

    def ask(self, request: ConfigRequest) -> int:
        """Make a request and go on until it is answered; only a KILL may be refused."""
        self.net.step(config=request)
        while not self.net.config_answer[0]:
            self.net.step()
        _, error, word = self.net.config_answer
        self.net.step()
        assert not error or COMMIT.unpack(request.data)["code"] == Code.KILL
        return word

    def write(self, write: Write) -> None:
        """Make a write; a KILL may find that BROKEN has ended its entry."""
        target, address, word = write
        self.ask(ConfigRequest(target, address, True, word))

    def rest(self, cycles: int, *, broken: bool = False) -> None:
        """Go on without arrivals; nothing is released but by BROKEN."""
        for _ in range(cycles):
            self.net.step()
            assert broken or not self.net.release

    def events(self) -> int:
        """Return how many messages were dropped or unexpected."""
        shape = self.net.shape
        counters = EngineWord.OVERFLOW, EngineWord.UNEXPECTED
        return sum(
            self.ask(ConfigRequest(shape.target_of(router), counter, False, 0))
            for router in range(shape.routers)
            for counter in counters
        )

    def endpoints(self, plan: GroupPlan) -> list[tuple[int, int]]:
        """Return node and register of each member."""
        nodes = [plan.graph.number(member) for member in plan.members]
        return list(zip(nodes, plan.registers, strict=True))

    def barrier(self, plan: GroupPlan, delays: Sequence[int]) -> int:
        """Let members arrive after some cycles each; return the cycles from the last to the end.

        No member is released before the last has arrived, and each is once.
        """
        return self.barriers({plan.id: delays})[plan.id]

    def barriers(self, delays: Mapping[int, Sequence[int]]) -> dict[int, int]:
        """Do the same with several groups at once, by identifier."""
        net, start = self.net, self.net.cycle
        plans = [plan for plan in self.plans if plan.id in delays]
        endpoints = {plan.id: self.endpoints(plan) for plan in plans}
        whose = {end: plan.id for plan in plans for end in endpoints[plan.id]}
        last = {gid: start + max(delays[gid]) for gid in delays}
        coming: dict[int, dict[tuple[int, int], int]] = {}
        for gid, listed in endpoints.items():
            for end, delay in zip(listed, delays[gid], strict=True):
                coming.setdefault(start + delay, {})[end] = 0
        ends: dict[tuple[int, int], int] = {}
        while len(ends) < len(whose):
            for node, register, _ in net.release:
                end = node, register
                assert end not in ends
                assert net.cycle >= last[whose[end]]
                ends[end] = net.cycle
            assert net.cycle < max(last.values()) + MOST, "a barrier hangs"
            net.step(arrive=coming.pop(net.cycle, {}))
        return {gid: max(ends[end] for end in endpoints[gid]) - last[gid] for gid in delays}
