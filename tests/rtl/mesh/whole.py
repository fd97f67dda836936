"""Small meshes of whole nodes, joined by hand, and software that sits at their config port."""

from collections.abc import Callable, Coroutine
from typing import Any

from amaranth import Cat, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from syncfabric.models.messages import COUNTER_BASE, COUNTER_BITS, Counter
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.ports import ConfigSignature
from syncfabric.rtl.mesh.node import mesh_node
from syncfabric.rtl.mesh.ports import DIRECTIONS

__all__ = ["Driver", "Whole", "drive"]

PACKETS = ("valid", "flit", "credit")
"""Wires of packets on a link."""


class Whole(wiring.Component):
    """All nodes of a mesh, and its links.

    Members
    -------
    start, config
        Of all nodes.
    arrive_0 .., data_0 .., released_0 .., ready_0 .., done_0 .., broken_0 .., observe_0 ..
        Of each node, by number.
    inject_0 .. : In(channels + flit), eject_0 .. : Out(channels + flit)
        With channels: ``valid`` and ``flit`` of each node's packets; ejected flits' credits come
        back in the next cycle.
    credit_0 .. : Out(channels)
        With channels: the injected flits' credits.
    packets : Out
        With channels: all wires of packets of all links.
    """

    def __init__(self, spec: MeshSpec) -> None:
        self._spec = spec
        self.nodes = [mesh_node(spec) for _ in spec.mesh.nodes]
        registers = spec.port_registers
        members: dict[str, Any] = {"start": In(1), "config": In(ConfigSignature(spec))}
        for i, node in enumerate(self.nodes):
            names = ["released", "ready", "done"] + ["broken"] * spec.tells_broken
            members |= {f"{name}_{i}": Out(registers) for name in names}
            members |= {f"arrive_{i}": In(registers), f"data_{i}": In(registers * spec.data_bits)}
            members |= {f"result_{i}": Out(registers * spec.data_bits)}
            members[f"observe_{i}"] = Out(len(node.observe))
            if spec.channels:
                bits = spec.channels + spec.layout.flit.width
                members |= {f"inject_{i}": In(bits), f"eject_{i}": Out(bits)}
                members[f"credit_{i}"] = Out(spec.channels)
        if spec.channels:
            link = 2 * spec.link_channels + spec.layout.flit.width
            members["packets"] = Out(4 * len(self.nodes) * link)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        spec, mesh = self._spec, self._spec.mesh
        answers: dict[str, list[Value]] = {"ready": [], "error": [], "rdata": []}
        packets: list[Value] = []
        for i, (place, node) in enumerate(zip(mesh.nodes, self.nodes, strict=True)):
            m.submodules[f"node_{i}"] = node
            m.d.comb += [
                node.x.eq(place[0]),
                node.y.eq(place[1]),
                node.index.eq(i),
                node.start.eq(self.start),
                *(
                    getattr(node.config, name).eq(getattr(self.config, name))
                    for name in ("valid", "node", "address", "write", "data")
                ),
            ]
            for name, answer in answers.items():
                answer.append(getattr(node.config, name))
            for name in ("arrive", "data"):
                m.d.comb += getattr(node, name).eq(getattr(self, f"{name}_{i}"))
            for name in ("released", "result", "ready", "done", "observe", "broken"):
                if name in node.signature.members:
                    m.d.comb += getattr(self, f"{name}_{i}").eq(getattr(node, name))
            if spec.managed:
                m.d.comb += node.manager.eq(place in spec.manager_nodes)
            for port in range(4):
                out = getattr(node, f"{DIRECTIONS[port]}_out")
                far = mesh.neighbour(place, Port(port))
                if spec.channels:
                    packets += [Value.cast(getattr(out, name)) for name in PACKETS]
                if far is None:
                    continue
                there = getattr(self.nodes[mesh.index(far)], f"{DIRECTIONS[(port + 2) % 4]}_in")
                for name, member in out.signature.members.items():
                    mine, theirs = getattr(out, name), getattr(there, name)
                    # An output of the node goes on; what is an input of it comes back.
                    m.d.comb += theirs.eq(mine) if member.flow == Out else mine.eq(theirs)
            if spec.channels:
                given = getattr(self, f"inject_{i}")
                m.d.comb += [
                    node.local_in.valid.eq(given[: spec.channels]),
                    node.local_in.flit.eq(given[spec.channels :]),
                    getattr(self, f"credit_{i}").eq(node.local_in.credit),
                    getattr(self, f"eject_{i}").eq(
                        Cat(node.local_out.valid, node.local_out.flit.as_value())
                    ),
                ]
                m.d.sync += node.local_out.credit.eq(node.local_out.valid)
        for name, parts in answers.items():
            either: Value = parts[0]
            for part in parts[1:]:
                either = either | part
            m.d.comb += getattr(self.config, name).eq(either)
        if spec.channels:
            m.d.comb += self.packets.eq(Cat(packets))
        return m


class Driver:
    """What a test does to a mesh, cycle by cycle; inputs last one cycle."""

    def __init__(self, whole: Whole, context: Any) -> None:
        self.whole, self.context, self.cycle = whole, context, 0

    def get(self, name: str) -> int:
        """Return an output, as it is in this cycle."""
        value: int = self.context.get(getattr(self.whole, name))
        return value

    async def tick(self, **inputs: int) -> None:
        """Drive these for this cycle, and go on to the next."""
        for name, value in inputs.items():
            self.context.set(getattr(self.whole, name), value)
        await self.context.tick()
        self.cycle += 1
        for name in inputs:
            self.context.set(getattr(self.whole, name), 0)

    async def ask(self, node: int, address: int, data: int | None = None) -> tuple[int, int]:
        """Write or read a word; return error and data of the answer, in the next cycle."""
        config = self.whole.config
        given = {"valid": 1, "node": node, "address": address, "write": data is not None}
        given["data"] = data or 0
        for name, value in given.items():
            self.context.set(getattr(config, name), value)
        await self.tick()
        self.context.set(config.valid, 0)
        assert self.context.get(config.ready) == 1
        return self.context.get(config.error), self.context.get(config.rdata)

    async def write(self, node: int, address: int, data: int) -> None:
        """Write a word, and see it accepted."""
        assert await self.ask(node, address, data) == (0, 0), (node, address)

    async def count(self, node: int, counter: Counter) -> int:
        """Read a counter over the config port."""
        error, value = await self.ask(node, COUNTER_BASE + counter)
        assert not error
        return value

    def shown(self, node: int) -> dict[str, int]:
        """Return the counters in ``observe`` as they are in this cycle."""
        width = len(Counter) * COUNTER_BITS
        word = self.get(f"observe_{node}") >> len(self.whole.nodes[node].observe) - width
        return {
            kind.name: word >> COUNTER_BITS * i & (1 << COUNTER_BITS) - 1
            for i, kind in enumerate(Counter)
        }


def drive(spec: MeshSpec, act: Callable[[Driver], Coroutine[Any, Any, None]]) -> None:
    """Let a test act on a mesh after reset."""
    whole = Whole(spec)

    async def testbench(context: Any) -> None:
        await act(Driver(whole, context))

    simulator = Simulator(whole)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()
