"""Switches in a row, a node interface on each, under Amaranth's simulator."""

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from amaranth import Module
from amaranth.lib import wiring
from amaranth.sim import Simulator

from syncfabric.models.messages import CONTROL, COUNTER_BASE, REGISTER_WORDS, TREE, Counter
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.irregular.node import NodeInterface
from syncfabric.rtl.irregular.switch import IrregularSwitch

__all__ = ["Row", "Source"]


class Row:
    """A network as of ``specs.network``: port 0 leads to the next switch, 1 back, 2 to the node.

    Parameters
    ----------
    spec : IrregularSpec
    """

    def __init__(self, spec: IrregularSpec) -> None:
        self.spec = spec
        count = spec.switches
        self.nodes: list[Any] = [NodeInterface(spec) for _ in range(count)]
        self.switches: list[Any] = [IrregularSwitch(spec) for _ in range(count)]
        self.parts = [*self.nodes, *self.switches]
        self.module = m = Module()
        bits = spec.layout.port_bits
        for s, (node, switch) in enumerate(zip(self.nodes, self.switches, strict=True)):
            m.submodules[f"node_{s}"], m.submodules[f"switch_{s}"] = node, switch
            wiring.connect(m, node.uplink, switch.in_2)
            wiring.connect(m, switch.out_2, node.downlink)
            if s:
                wiring.connect(m, self.switches[s - 1].out_0, switch.in_1)
                wiring.connect(m, switch.out_1, self.switches[s - 1].in_0)
            row = sum((0 if to > s else 1) << bits * to for to in range(count))
            m.d.comb += [switch.number.eq(s), switch.routes.eq(row)]
            if spec.managed:
                m.d.comb += node.manager.eq(int((s, 2) in spec.manager_nodes))
        m.d.comb += [part.target.eq(i) for i, part in enumerate(self.parts)]

    def run(
        self,
        drive: Callable[[Any], Awaitable[None]],
        beside: Callable[[Any], Awaitable[None]] | None = None,
    ) -> None:
        """Simulate from reset to the end of ``drive``.

        Parameters
        ----------
        drive : callable
            It is given the simulator's context.
        beside : callable, optional
            Goes on beside it for as long.
        """
        simulator = Simulator(self.module)
        simulator.add_clock(1e-6)
        simulator.add_testbench(drive)
        if beside:
            simulator.add_testbench(beside, background=True)
        simulator.run()

    async def request(
        self, context: Any, target: int, address: int, data: int | None = None
    ) -> int | None:
        """Write a word, or read one: return it, or None if that is refused, two cycles later."""
        config = self.parts[target].config
        words = {"valid": 1, "node": target, "address": address}
        words |= {"write": data is not None, "data": data or 0}
        for name, value in words.items():
            context.set(getattr(config, name), int(value))
        await context.tick()
        context.set(config.valid, 0)
        assert not context.get(config.ready)
        await context.tick()
        assert context.get(config.ready)
        return None if context.get(config.error) else context.get(config.rdata)

    async def write(self, context: Any, target: int, register: int, word: int, data: int) -> None:
        """Write a word of a register; it must not be refused."""
        address = REGISTER_WORDS * register + word
        assert await self.request(context, target, address, data) == 0, (target, register, word)

    async def set_up(
        self, context: Any, target: int, register: int, tree: tuple[int, list[int]], **control: int
    ) -> None:
        """Write parent and children, and then the control word."""
        parent, children = tree
        word = TREE.pack({"parent": parent, "children": sum(1 << p for p in children)})
        await self.write(context, target, register, 1, word)
        await self.write(context, target, register, 0, CONTROL.pack({"valid": 1, **control}))

    async def set_up_group(self, context: Any, register: int, **control: int) -> None:
        """Set up a group of all nodes, its root the first switch."""
        count = self.spec.switches
        for s in range(count):
            await self.set_up(context, s, register, (0, [1]), **control)
            children = [2] if s == count - 1 else [0, 2]
            root = {"root": 1} if s == 0 else {}
            await self.set_up(context, count + s, register, (1, children), **root, **control)

    async def count(self, context: Any, target: int, counter: Counter) -> int | None:
        """Read a counter."""
        return await self.request(context, target, COUNTER_BASE + counter)


class Source:
    """A node's packets: sends flits as credits allow, and gives back a credit for each received.

    Parameters
    ----------
    row : Row
    node : int
    packets : sequence of (channel, flits)
        In the order in which they are sent.
    """

    def __init__(self, row: Row, node: int, packets: list[tuple[int, list[int]]]) -> None:
        self.node = row.nodes[node]
        self.credits = [row.spec.buffer_flits] * row.spec.channels
        self.waiting = deque((c, flit) for c, flits in packets for flit in flits)
        self.received: list[tuple[int, int] | None] = []

    def step(self, context: Any) -> None:
        """Look at the cycle before, and drive this one; once a cycle, after the clock's edge."""
        inject, eject = self.node.local_in, self.node.local_out
        valid = flit = 0
        if self.waiting and self.credits[self.waiting[0][0]]:
            channel, flit = self.waiting.popleft()
            self.credits[channel] -= 1
            valid = 1 << channel
        context.set(inject.valid, valid)
        context.set(inject.flit.as_value(), flit)
        given = context.get(inject.credit)
        self.credits = [have + (given >> c & 1) for c, have in enumerate(self.credits)]
        came = context.get(eject.valid)
        self.received.append((came, context.get(eject.flit.as_value())) if came else None)
        context.set(eject.credit, came)
