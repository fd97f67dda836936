"""One node of the static network: its switch, and what is between it and the process.

Every node of a network is the same module. Where nodes are at ports of switches, the switches are
one module, and what is between them and the processes another.
"""

from typing import Any

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.registers import Counter
from syncfabric.models.messages.static import Role
from syncfabric.models.messages.words import COUNTER_BITS
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.parts.counter import SaturatingCounter
from syncfabric.rtl.parts.gates import total
from syncfabric.rtl.static.agents import RingAgent, TreeAgent
from syncfabric.rtl.static.buffer import FlitBuffer, Level
from syncfabric.rtl.static.config import StaticConfig
from syncfabric.rtl.static.ports import (
    ConfigSignature,
    CoreSignature,
    RouteSignature,
    StaticLinkSignature,
)
from syncfabric.rtl.static.switch import StaticSwitch


class StaticCore(wiring.Component):
    """Buffer of the core, agents, and the port of the node's process.

    Source: paper Reflex; cycles as in docs/microarchitecture-static.md, R4 and R5.

    Parameters
    ----------
    network : StaticSpec
        Buffers and flit width.

    Members
    -------
    index : In
        Number of this node; constant.
    eject : In(StaticLinkSignature), inject : Out(StaticLinkSignature)
        Links from and to the switch. What flushes the first resets the node's agents.
    overflow : In(ports)
        Flits that the node's own switch dropped.
    port : In(CoreSignature)
        The port of the node's process.
    config : In(ConfigSignature)
        Config port of the whole network.
    observe : Out
        State for benches; leave it open elsewhere.
    """

    def __init__(self, network: StaticSpec) -> None:
        self._network = network
        bits, own = network.flit_bits, network.graph.own
        super().__init__(
            {
                "index": In(network.layout.target_bits),
                "eject": In(StaticLinkSignature(bits)),
                "inject": Out(StaticLinkSignature(bits, flushed=False)),
                **({"overflow": In(network.layout.ports)} if own else {}),
                "port": In(CoreSignature(bits)),
                "config": In(ConfigSignature(network)),
                "observe": Out(network.observe.width - network.observe.offsets["core"]),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network, port, clear = self._network, self.port, self.eject.flush
        m.submodules.config_port = config = StaticConfig(network)
        m.submodules.buffer = buffer = FlitBuffer(network.core_buffer, network.flit_bits)
        places = network.injection_buffer
        m.submodules.credit = credit = Level(places, init=places)
        m.submodules.ring = ring = RingAgent(network.core_buffer)
        m.submodules.tree = tree = TreeAgent()
        wiring.connect(m, wiring.flipped(self.config), config.config)

        role = config.role.role
        software, root, in_ring, in_tree = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            config.index.eq(self.index),
            software.eq(role == Role.NONE),
            root.eq((role == Role.RING_ROOT) | (role == Role.TREE_ROOT)),
            in_ring.eq((role == Role.RING) | (role == Role.RING_ROOT)),
            in_tree.eq((role == Role.TREE) | (role == Role.TREE_ROOT)),
        ]
        accepted, alone = Signal(), ~(software | in_ring | in_tree)
        begun, waiting = ring.begun | tree.begun, ring.waiting | tree.waiting
        m.d.comb += [
            port.ready.eq(~software & (~root | begun)),
            accepted.eq(port.arrive & port.ready & ~waiting & ~clear),
            config.startable.eq(root & ~begun & ~clear),
            # Whoever has begun may owe something; all other state is what a member waits for.
            config.idle.eq(~(begun | waiting | accepted)),
        ]
        for agent, chosen in ((ring, in_ring), (tree, in_tree)):
            m.d.comb += [
                agent.root.eq(root),
                agent.arrive.eq(accepted & chosen),
                agent.init.eq(config.init & chosen),
                agent.hold.eq(port.hold),
                agent.some.eq(buffer.some),
                agent.free.eq(credit.some),
                agent.clear.eq(clear),
            ]
        m.d.comb += tree.flits.eq(config.role.flits)

        takes, sends = Signal(), Signal()
        m.d.comb += [
            port.recv_valid.eq(software & buffer.some),
            port.recv_flit.eq(buffer.front),
            port.send_ready.eq(software & credit.some),
            takes.eq(port.recv_take & port.recv_valid),
            sends.eq(port.send_valid & port.send_ready),
            buffer.push.eq(self.eject.valid),
            buffer.flit.eq(self.eject.flit),
            buffer.clear.eq(clear),
            buffer.pop.eq(ring.pop | tree.pop | takes),
            self.eject.credit.eq(buffer.pop),
            self.inject.valid.eq(ring.send | tree.send | sends),
            self.inject.flit.eq(Mux(sends, port.send_flit, 0)),
            credit.up.eq(self.inject.credit),
            credit.down.eq(self.inject.valid),
            credit.clear.eq(clear),
        ]
        drops = Cat(getattr(self, "overflow", ()), buffer.overflow)
        overflow = Signal(len(drops))
        ends = ring.ends | tree.ends | (accepted & alone)
        m.d.sync += [
            port.released.eq(ends & ~clear),
            port.done.eq((ends | (port.done & ~accepted)) & ~clear),
            # Told a cycle late: a flit is on its link late in the cycle.
            overflow.eq(drops),
        ]
        unexpected = [software & port.recv_take & ~takes, software & port.send_valid & ~sends]
        if network.watchdog:
            waits = Signal.like(config.timeout, init=0)
            unexpected.append(waiting & (waits == 1))
            m.d.sync += waits.eq(Mux(waiting, waits - waits.any(), config.timeout))
        events = {
            Counter.OVERFLOW: overflow,
            Counter.STRAY: unexpected,
            Counter.REFUSED_ARRIVE: [port.arrive & ~accepted],
            Counter.REFUSED_WRITE: [config.refused_write],
        }
        for which, bits in events.items():
            name = which.name.lower()
            m.submodules[name] = counter = SaturatingCounter(COUNTER_BITS, len(bits))
            low = which * COUNTER_BITS
            m.d.comb += [
                counter.events.eq(total(bits)),
                config.counters[low : low + COUNTER_BITS].eq(counter.count),
            ]
        status = config.status
        m.d.comb += [
            status.left.eq(ring.left | tree.left),
            status.owed.eq(ring.owed),
            status.back.eq(ring.back),
            status.go.eq(tree.go),
            status.begun.eq(begun),
            status.done.eq(port.done),
            self.observe.eq(Cat(buffer.number, status.as_value()[:-1], config.counters)),
        ]
        return m


class StaticNode(wiring.Component):
    """A switch with its core: one cycle a hop.

    Source: paper Reflex; cycles as in docs/microarchitecture-static.md.

    Parameters
    ----------
    network : StaticSpec
        The network's parameters; the number is an input, so that all nodes share one module.

    Members
    -------
    index : In
        Number of this node; constant.
    east_in .. south_in : In(StaticLinkSignature), east_out .. south_out : Out(StaticLinkSignature)
        Links to the neighbours; on a graph port_0_in and so on. Where there is none, ``flush`` of
        the input is the reset.
    route, route_in, route_out
        The chain of route bits: see StaticSwitch.
    port : In(CoreSignature)
        The port of the node's process.
    config : In(ConfigSignature)
        Config port of the whole network.
    eject, inject : Out
        What is on the links to and from the core, and ``observe``, its state: for benches; leave
        them open elsewhere.
    """

    def __init__(self, network: StaticSpec) -> None:
        self._network = network
        link = StaticLinkSignature(network.flit_bits)
        members: dict[str, Any] = {
            "index": In(network.layout.target_bits),
            "route": In(RouteSignature()),
            "route_in": In(1),
            "route_out": Out(1),
            "port": In(CoreSignature(network.flit_bits)),
            "config": In(ConfigSignature(network)),
            "observe": Out(network.observe.width),
        }
        for name in self._network.link_names:
            members |= {f"{name}_in": In(link), f"{name}_out": Out(link)}
        for name in ("eject", "inject"):
            members |= {
                f"{name}_valid": Out(1),
                f"{name}_flit": Out(network.flit_bits),
                f"{name}_credit": Out(1),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.switch = switch = StaticSwitch(self._network)
        m.submodules.core = node = StaticCore(self._network)
        for name in self._network.link_names:
            wiring.connect(
                m, wiring.flipped(getattr(self, f"{name}_in")), getattr(switch, f"{name}_in")
            )
            wiring.connect(
                m, getattr(switch, f"{name}_out"), wiring.flipped(getattr(self, f"{name}_out"))
            )
        wiring.connect(m, switch.core_out, node.eject)
        wiring.connect(m, node.inject, switch.core_in)
        wiring.connect(m, wiring.flipped(self.route), switch.route)
        wiring.connect(m, wiring.flipped(self.port), node.port)
        wiring.connect(m, wiring.flipped(self.config), node.config)
        m.d.comb += [
            switch.route_in.eq(self.route_in),
            self.route_out.eq(switch.route_out),
            node.index.eq(self.index),
            node.overflow.eq(switch.overflow),
            self.observe.eq(
                Cat(
                    *(getattr(switch, f"number_{i}") for i in range(self._network.layout.ports)),
                    node.observe,
                )
            ),
        ]
        for name, link in (("eject", node.eject), ("inject", node.inject)):
            for wire in ("valid", "flit", "credit"):
                m.d.comb += getattr(self, f"{name}_{wire}").eq(getattr(link, wire))
        return m
