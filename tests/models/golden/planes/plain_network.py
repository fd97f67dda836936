"""All nodes and interfaces of a network stepped in every cycle, through the wires of their pins."""

from collections.abc import Collection, Mapping
from typing import Any

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.engine.engine import Engine
from syncfabric.models.golden.engine.memory import Answer
from syncfabric.models.golden.engine.node_port import Arrival, NodePortOutputs
from syncfabric.models.golden.interface import NodeInterface
from syncfabric.models.golden.link import Back, Forward, LinkForm
from syncfabric.models.golden.node import Node
from syncfabric.models.golden.place import PlaceInputs
from syncfabric.models.golden.processes import Processes
from syncfabric.models.golden.record import ConfigRequest, GuardWires, PortState, Record
from syncfabric.models.golden.router import Flit
from syncfabric.models.golden.wiring import interface_of, node_of
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.traffic import TrafficGenerator
from tests.models.golden.registers import ChainEnd, Link


class AlwaysStepped(Engine):
    """An engine that is never idle."""

    is_idle = False


class PlainNetwork:
    """The same inputs and records as of ``CollectiveNetwork``; nothing is left out.

    Parameters
    ----------
    shape : NetworkShape
    """

    def __init__(self, shape: NetworkShape) -> None:
        self.shape = shape
        self.cycle = 0
        self.nodes = [node_of(shape, n) for n in range(shape.routers)]
        for node in self.nodes:
            node.engine.__class__ = AlwaysStepped
        count = len(shape.nodes) if shape.interfaces else 0
        self.interfaces = [interface_of(shape, i) for i in range(count)]
        self.places: list[Node | NodeInterface] = [*self.interfaces, *self.nodes]  # by target
        self.links = {here: Link(shape.delay_of[here]) for here in shape.ends}
        self.faults: list[Fault] = []
        self.states: dict[int, PortState] = {}
        self.end = ChainEnd()
        self.processes = Processes(shape, None)
        many = len(shape.nodes) if shape.router.channels else 1
        self.traffic = TrafficGenerator(many)
        self.ports = shape.router.links + shape.router.own
        self.width = shape.router.link_channels
        self.width += shape.classes

    @property
    def config_answer(self) -> tuple[bool, bool, int]:
        answer = self.places[0].config.answer
        if answer is None:
            return False, False, 0
        return True, answer.error, answer.rdata & answer.meaning

    def step(
        self,
        *,
        arrive: Mapping[tuple[int, int], int] = {},
        last: Collection[tuple[int, int]] = (),
        config: ConfigRequest | None = None,
        load: int | None = None,
        enable: bool = False,
        rate: int = 0,
    ) -> Record | None:
        shape, now = self.shape, self.cycle
        if now == 0:  # nodes still are in their reset
            self.cycle = 1
            return None
        self.lanes: dict[int, int] = {}
        self.credits: list[int] = []
        self.guards: dict[int, dict[str, int]] = {}
        self.released: dict[int, int] = {}
        self.changed: list[tuple[int, PortState]] = []
        freed: dict[int, int] = {}
        for i, c in self.processes.freed():
            freed[i] = freed.get(i, 0) | 1 << c
        injected = self.processes.send(now)
        requests = [config, *(place.config.passing for place in self.places)]
        answers = [*(place.config.answer for place in self.places[1:]), self.end.answer]
        arrivals: list[dict[int, Arrival]] = [{} for _ in shape.nodes]
        for (i, r), data in arrive.items():
            arrivals[i][r] = Arrival(data, (i, r) in last)

        forward: list[dict[int, Forward]] = [{} for _ in self.nodes]
        back: list[dict[int, Back]] = [{} for _ in self.nodes]
        wires = [node.wires() for node in self.nodes]
        for n, (sent, _) in enumerate(wires):
            for p in sent:
                if (n, p) in shape.ends:
                    m, q = shape.ends[n, p]
                    link, form = n * self.ports + p, self.nodes[n].ends[p].form
                    credit = wires[m][1][q]
                    comes, back[n][p] = self.links[n, p].step(
                        sent[p], self.faulty_back(link, credit)
                    )
                    forward[m][q] = self.faulty(link, comes, form)
                    self.show(link, sent[p], credit, form)
                elif (n, p) not in shape.node_at and shape.router.check_bits:
                    back[n][p] = Back(empty=-1)
        source_credits: list[tuple[int, int]] = []
        for i, (n, p) in enumerate(shape.nodes):
            up, link = n * self.ports + p, len(self.nodes) * self.ports + i
            sent, credits_of = wires[n]
            end = self.nodes[n].ends[p].form if p in self.nodes[n].ends else None
            inject = injected.get(i)
            if self.interfaces:
                assert end
                interface = self.interfaces[i]
                inputs = PlaceInputs(
                    {0: self.faulty(up, sent[p], end)},
                    {0: self.faulty_back(link, credits_of[p])},
                    requests[i],
                    answers[i],
                    arrivals[i],
                    inject=inject,
                    eject_credit=freed.get(i, 0),
                )
                out = interface.step(inputs)
                forward[n][p] = self.faulty(link, out.forward[0], end)
                back[n][p] = self.faulty_back(up, out.back[0])
                self.show(up, sent[p], out.back[0], end)
                self.show(link, out.forward[0], credits_of[p], end)
                self.eject(i, out.eject)
                credits = out.inject_credit
                self.release(i, out.process)
            elif end:
                forward[n][p] = end.pack(inject, None) if inject else Forward()
                back[n][p] = Back(freed.get(i, 0))
                self.show(up, sent[p], back[n][p], end)
                self.show(link, forward[n][p], credits_of[p], end)
                self.eject(i, end.unpack(sent[p])[0])
                credits = credits_of[p].credit
            else:
                credits = 0
            source_credits += [(i, c) for c in range(shape.router.channels) if credits >> c & 1]
        for n, node in enumerate(self.nodes):
            at = shape.target_of(n)
            here = {} if self.interfaces else arrivals[n]
            inputs_of = PlaceInputs(forward[n], back[n], requests[at], answers[at], here)
            out_of = node.step(inputs_of)
            self.release(n, out_of.process)
        self.end.step(requests[-1])
        for i, c in source_credits:
            self.processes.credit(i, c)
        self.processes.end_cycle()
        self.cycle += 1
        for source, destination in self.traffic.step(load=load, enable=enable, rate=rate):
            self.processes.create(source, destination, now)
        return self.record()

    def inject(self, faults: list[Fault]) -> None:
        self.faults += faults

    def faulty(self, link: int, wires: Forward, form: LinkForm) -> Forward:
        """Return forward wires of a link, its faults done to them."""
        for fault in sorted(self.faults, key=lambda fault: (fault.kind, fault.mask)):
            kinds = FaultKind.DROP, FaultKind.FLIP, FaultKind.INJECTED
            if (fault.link, fault.cycle) == (link, self.cycle) and fault.kind in kinds:
                if fault.kind is FaultKind.DROP:
                    wires = Forward()
                elif fault.kind is FaultKind.FLIP or wires == Forward():
                    wires = form.flip(wires, fault.mask)
        return Forward() if self.is_dead(link) else wires

    def faulty_back(self, link: int, back: Back) -> Back:
        """Return the wires back of a link."""
        if self.is_dead(link):
            return Back()
        channels = self.shape.router.link_channels
        for fault in self.faults:
            if fault.link == link and fault.cycle == self.cycle and fault.kind is FaultKind.CREDIT:
                kept, kept_messages = ~fault.mask, ~fault.mask >> channels
                back = Back(back.credit & kept, back.message_credit & kept_messages, back.empty)
        return back

    def is_dead(self, link: int) -> bool:
        return any(
            fault.link == link and fault.kind is FaultKind.DEAD and fault.cycle <= self.cycle
            for fault in self.faults
        )

    def put(self, node: int, payloads: list[int], channel: int = 0, **marks: Any) -> None:
        marks = {"head": True, "tail": True} | marks
        self.processes.put(node, payloads, channel, self.cycle - 1, **marks)

    def eject(self, i: int, flit: Flit | None) -> None:
        if flit:
            self.processes.eject(i, flit, self.cycle)

    def release(self, i: int, process: NodePortOutputs) -> None:
        words = [0, 0, 0, 0]
        for r, value in enumerate(process.result):
            for k, named in enumerate((process.ready, process.done, process.broken)):
                words[k] |= (r in named) << r
            words[3] |= (value or 0) << r * self.shape.router.data_bits
        if process.result and self.states.get(i, PortState()) != PortState(*words):
            self.states[i] = PortState(*words)
            self.changed.append((i, self.states[i]))
        for r in process.released:
            self.released[i * self.shape.registers + r] = process.result[r] or 0

    def show(self, link: int, forward: Forward, back: Back, form: LinkForm) -> None:
        """Note a link's wires, and those that run back against it."""
        first, channels = link * self.width, self.shape.router.link_channels
        if forward.valid:
            self.lanes[first + forward.valid.bit_length() - 1] = forward.flit
        if forward.message_valid:
            word = forward.message
            if form.transport != "own":
                word = forward.flit | forward.message_rest << form._flit_bits
            self.lanes[first + channels + forward.message_valid.bit_length() - 1] = word
        guards = self.guards.setdefault(link, {})
        guards["check"], guards["sync_check"] = forward.check, forward.message_check
        guards["probe"], guards["empty"] = forward.probe, max(back.empty, 0)
        for c in range(channels):
            if back.credit >> c & 1:
                self.credits.append(first + c)
        for c in range(2):
            if back.message_credit >> c & 1:
                self.credits.append(first + channels + c)

    def record(self) -> Record | None:
        order, released = sorted(self.lanes), sorted(self.released)
        guards = [
            (link, GuardWires(**words))
            for link, words in sorted(self.guards.items())
            if any(words.values())
        ]
        if not (order or released or self.credits or guards or self.changed):
            return None
        return Record(
            sum(1 << lane for lane in order),
            sum(1 << lane for lane in self.credits),
            [self.lanes[lane] for lane in order],
            sum(1 << r for r in released),
            [self.released[r] for r in released],
            guards or (),
            ports=sorted(self.changed) or (),
        )


__all__ = ["Answer", "PlainNetwork"]
