"""Networks of golden engines and node ports, driven as a plan says.

Own links, and shared and routed ones on meshes. There are no packets and managers, and
on own links a write goes to its engine's config port at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from syncfabric.models.golden.engine import Engine, Message, Request
from syncfabric.models.golden.engine.node_port import Arrival, NodePort
from syncfabric.models.golden.planes import Node, NodeNetwork, NodeParameters
from syncfabric.models.golden.router import XY
from syncfabric.models.golden.transport.config_chain import ChainRequest
from syncfabric.models.layout.engine import COMMIT, Code, EngineCounter
from syncfabric.models.networks.spec import EngineSpec
from syncfabric.models.planning.links.group_plan import GroupPlan
from syncfabric.models.planning.links.images import Epochs
from syncfabric.models.planning.links.set_up import Write, set_up_writes

Releases = dict[tuple[int, int], int]
"""By node and register, the cycle of the last ``released``."""

MOST = 2000


class Engines:
    """Engines on own links, each node a node port at its own port or at the end of a link."""

    def __init__(self, network: EngineSpec) -> None:
        self.shape = network.shape
        router = self.shape.router
        self.engines = [Engine(router.layout, **router.options) for _ in range(self.shape.routers)]
        self.ports = [NodePort(self.shape.registers) for _ in self.shape.nodes]
        self.request: tuple[int, Request] | None = None
        self.answered = False
        self.now = 0
        self._due: dict[int, list[tuple[int, int, Message]]] = {}
        self._to_node: dict[int, Message] = {}

    def step(self, arrive: Mapping[int, Iterable[int]] | None = None) -> Releases:
        """Go through a cycle; return what is released in it."""
        router, ends, node_at = self.shape.router, self.shape.ends, self.shape.node_at
        later = self._due.setdefault(self.now + router.link_registers, [])
        to_node, self._to_node = self._to_node, {}
        for r, engine in enumerate(self.engines):
            for p, message in engine.links.items():
                if (r, p) in ends:
                    later.append((*ends[r, p], message))
                elif (r, p) in node_at:
                    self._to_node[node_at[r, p]] = message
        inputs: list[dict[int, Message]] = [{} for _ in self.engines]
        for r, p, message in self._due.pop(self.now, ()):
            inputs[r][p] = message
        offers = [port.offer for port in self.ports]
        taken = [offer is not None for offer in offers]
        if self.shape.interfaces:
            for (r, p), offer in zip(self.shape.nodes, offers, strict=True):
                if offer:
                    inputs[r][p] = offer
        for r, engine in enumerate(self.engines):
            own = None if self.shape.interfaces else offers[r]
            request = self.request[1] if self.request and self.request[0] == r else None
            out = engine.step(inputs[r], own, request)
            self.answered |= out.answer is not None
            if out.answer and request:
                gone = COMMIT.unpack(request.data)["code"] == Code.KILL
                assert gone or not out.answer.error  # a KILL may find what BROKEN has ended
            if not self.shape.interfaces:
                taken[r] = out.arrive_ready
                if out.release:
                    to_node[r] = out.release
        released: Releases = {}
        for n, port in enumerate(self.ports):
            arrivals = {r: Arrival() for r in (arrive or {}).get(n, ())}
            got = port.step(arrivals, to_node.get(n), taken=taken[n])
            released |= {(n, r): self.now for r in got.released}
        self.now += 1
        return released

    def write(self, write: Write) -> None:
        """Make a config write, and go on until it is answered."""
        router = write.target - self.shape.target_of(0)
        self.request, self.answered = (router, Request(True, write.address, write.word)), False
        while not self.answered:
            self.step()
        self.request = None

    @property
    def events(self) -> int:
        """Messages that were dropped or unexpected, and arrivals that were refused."""
        count = sum(port.refused for port in self.ports)
        for engine in self.engines:
            for counter in (EngineCounter.OVERFLOW, EngineCounter.UNEXPECTED):
                request = Request(False, 16 + counter)
                answer = engine.step(request=request).answer
                answer = answer or engine.step(request=request).answer
                assert answer
                count += answer.rdata
        return count


class Nodes:
    """A mesh of golden nodes with node ports, on shared or routed links, without packets."""

    def __init__(self, network: EngineSpec) -> None:
        self.shape = network.shape
        router = self.shape.router
        bits = router.layout.x_bits or 8, router.layout.y_bits or 8
        transport = "routed" if router.transport == "routed" else "shared"
        nodes = []
        for n in range(self.shape.routers):
            y, x = divmod(n, router.width)  # type: ignore[attr-defined]
            parameters = NodeParameters(
                layout=router.layout,
                stages=router.stages,
                number=n,
                place=(x, y),
                transport=transport,
                routing=lambda x=x, y=y: XY(*bits, x, y),  # type: ignore[misc]
                channels=router.channels,
                flit_bits=router.flit_bits,
                output_register=router.output_register,
                registers=self.shape.registers,
                link_registers=router.link_registers,
            )
            nodes.append(Node(parameters))
        self.nodes = nodes
        self.network = NodeNetwork(nodes, self.shape.links)

    @property
    def now(self) -> int:
        return self.network.now

    def step(self, arrive: Mapping[int, Iterable[int]] | None = None) -> Releases:
        """Go through a cycle; return what is released in it."""
        now = self.now
        arrivals = {n: {r: Arrival() for r in regs} for n, regs in (arrive or {}).items()}
        outputs = self.network.step(arrivals=arrivals)
        return {
            (n, r): now
            for n, out in enumerate(outputs)
            if out.process
            for r in out.process.released
        }

    def write(self, write: Write) -> None:
        """Make a config write over the chain, and go on until it is answered."""
        self.network.step(ChainRequest(*write[:1], True, *write[1:]))
        while not self.network.answer:
            self.network.step()
        assert not self.network.answer.error


class Barriers:
    """Groups that are set up on engines, and barriers of them."""

    def __init__(self, network: EngineSpec, plans: Sequence[GroupPlan]) -> None:
        self.plans = plans
        router = network.shape.router
        alone = router.transport == "link" and router.message_links == "own"
        self.net = Engines(network) if alone else Nodes(network)
        self.epochs = Epochs()
        for write in set_up_writes(plans, network.shape, self.epochs):
            self.net.write(write)
        self.rest(4 * max(plan.bound for plan in plans) + 20)

    def rest(self, cycles: int) -> None:
        """Go on without arrivals; nothing is released."""
        for _ in range(cycles):
            assert not self.net.step()

    def rest_after_kill(self, cycles: int) -> None:
        """Go on without arrivals, while nodes are released by BROKEN."""
        for _ in range(cycles):
            self.net.step()

    def seats(self, plan: GroupPlan) -> list[tuple[int, int]]:
        """Return node and register of each member."""
        nodes = [plan.graph.node(member) for member in plan.members]
        return list(zip(nodes, plan.registers, strict=True))

    def barrier(self, plan: GroupPlan, delays: Sequence[int]) -> int:
        """Let members arrive after some cycles each; return the cycles from the last to the end.

        No member is released before the last has arrived, and each is once.
        """
        return self.barriers({plan.id: delays})[plan.id]

    def barriers(self, delays: Mapping[int, Sequence[int]]) -> dict[int, int]:
        """Do the same with several groups at once, by identifier."""
        start = self.net.now
        plans = [plan for plan in self.plans if plan.id in delays]
        seats = {plan.id: self.seats(plan) for plan in plans}
        whose = {seat: plan.id for plan in plans for seat in seats[plan.id]}
        last = {gid: start + max(delays[gid]) for gid in delays}
        ends: Releases = {}
        while len(ends) < len(whose):
            now = self.net.now
            arrive: dict[int, list[int]] = {}
            for gid, listed in seats.items():
                for (node, register), delay in zip(listed, delays[gid], strict=True):
                    if start + delay == now:
                        arrive.setdefault(node, []).append(register)
            for seat, cycle in self.net.step(arrive).items():
                assert seat not in ends
                assert cycle >= last[whose[seat]]
                ends[seat] = cycle
            assert now < max(last.values()) + MOST, "a barrier hangs"
        return {gid: max(ends[seat] for seat in seats[gid]) - last[gid] for gid in delays}
