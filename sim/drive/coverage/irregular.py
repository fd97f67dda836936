"""What can be met on the links of an irregular network."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator

from syncfabric.models.messages import Kind
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.plan import BarrierPlan, IrregularGroupPlan
from syncfabric.models.planning.switch_tree import PROCESS_PORT, UPLINK_PORT
from syncfabric.models.planning.updown import routing_tables
from syncfabric.sim.drive.coverage.shared import Coverage, RegisterState, shared_universe
from syncfabric.sim.drive.lanes import bits
from syncfabric.sim.drive.lines import Line

__all__ = ["IrregularCoverage", "irregular_universe"]

_LINKS = ("between switches", "to a node", "from a node")
_MANY = 4


def irregular_universe(spec: IrregularSpec) -> Iterator[str]:
    """Yield every bin that switches with a few links and nodes each can reach."""
    if spec.has_messages:
        yield from _of_messages(spec)
    if spec.channels:
        for where in _LINKS:
            if where != _LINKS[1] or spec.buffer_flits == 1:  # a sink gives back at once
                yield f"no credit: {where}, ordinary"
        yield from (f"two heads for a {what} in one cycle" for what in ("switch", "node"))
        if spec.datelines:
            yield "packet over a dateline"
    yield from shared_universe(spec)


def _of_messages(spec: IrregularSpec) -> Iterator[str]:
    node_turns = spec.turnaround == "node"
    for where in _LINKS:
        yield f"message inside a packet: {where}"
        if spec.buffered:
            yield f"no credit: {where}, message"
        for kind in (Kind.REDUCE, Kind.DISTRIBUTE):
            against = (where, kind) in ((_LINKS[1], Kind.REDUCE), (_LINKS[2], Kind.DISTRIBUTE))
            if node_turns or not against:
                yield f"{kind.name} {where}"
    yield from (f"REDUCE at a switch meets {state}" for state in ("idle", "children"))
    if node_turns:
        yield from (f"REDUCE at a node meets {state}" for state in ("idle", "local"))
        yield "root released with 1 children"
    yield "root released with 0 children"
    for count in range(1, _MANY + 1):
        yield f"DISTRIBUTE with {_up_to_many(count)} children"
        if count > 1:
            yield f"{_up_to_many(count)} messages to a switch in one cycle"
            if not node_turns:
                yield f"root switch fires with {_up_to_many(count)} children"
    yield "REDUCE and DISTRIBUTE to a switch in one cycle"


def _up_to_many(count: int) -> str:
    return str(count) if count < _MANY else f"{_MANY} or more"


class IrregularCoverage(Coverage):
    """Watches one run on an irregular network; see `Coverage`."""

    def __init__(self, plan: BarrierPlan) -> None:
        super().__init__(plan)
        assert isinstance(plan.spec.network, IrregularSpec)
        self._spec, self._network = plan.spec.network, plan.spec.network.topology
        self._routes = routing_tables(self._spec)
        self._node_of = {link: node for node, link in enumerate(self._links.eject)}
        self._datelines = {
            switch * self._spec.ports + port for switch, port in self._spec.datelines
        }
        for group in plan.message_groups:
            assert isinstance(group, IrregularGroupPlan)
            for register in group.registers():
                if isinstance(register.seat, int):
                    target = self._targets.nodes + register.seat
                    children = len(register.children)
                else:
                    target = self._network.index(register.seat)
                    children = len({*register.children} - {PROCESS_PORT})
                state = RegisterState(children, register.parent is None)
                self._registers[target, group.id] = state

    def _where(self, link: int) -> str:
        """Return which kind of link it is."""
        if self._links.ends[link] is None:
            return _LINKS[1]
        return _LINKS[2 * (link >= self._links.count - self._targets.nodes)]

    def _on_links(self, line: Line) -> None:
        messages: dict[int, list[Kind]] = {}
        heads: Tally[tuple[int, int]] = Tally()
        for lane, flit in zip(bits(line.record.valid), line.record.payloads, strict=True):
            link, channel = divmod(lane, self._links.width)
            end = self._links.ends[link]
            if channel < self._links.channels:
                if flit & self._head:
                    if link in self._datelines:
                        self.hits["packet over a dateline"] += 1
                    if end is not None:
                        heads[end[0], self._route(end[0], flit)] += 1
                self._goes_on(lane, flit)
                continue
            if channel < self._links.channels + self._links.setup:
                continue
            if self._open >> link * self._links.width & (1 << self._links.channels) - 1:
                self.hits[f"message inside a packet: {self._where(link)}"] += 1
            target, port = self._node_of.get(link, -1), UPLINK_PORT
            if end is not None:
                target, port = self._targets.nodes + end[0], end[1]
            kind = self._message(target, port, flit & self._sync_mask)
            self.hits[f"{kind.name} {self._where(link)}"] += 1
            messages.setdefault(target, []).append(kind)
        self._together(messages)
        for (switch, port), count in heads.items():
            if count > 1:
                node = self._network.node_at(switch, port) is not None
                self.hits[f"two heads for a {'node' if node else 'switch'} in one cycle"] += 1

    def _together(self, messages: dict[int, list[Kind]]) -> None:
        """Note what came to a switch in one cycle."""
        for target, kinds in messages.items():
            if len(kinds) > 1 and target >= self._targets.nodes:
                self.hits[f"{_up_to_many(len(kinds))} messages to a switch in one cycle"] += 1
                if {Kind.REDUCE, Kind.DISTRIBUTE} <= {*kinds}:
                    self.hits["REDUCE and DISTRIBUTE to a switch in one cycle"] += 1

    def _route(self, switch: int, flit: int) -> int:
        layout = self._spec.layout.header
        header = layout.unpack(flit & (1 << layout.width) - 1)
        here = header["switch"] == switch
        return header["port"] if here else self._routes[switch][header["switch"]]

    def _message(self, target: int, port: int, raw: int) -> Kind:
        message = self._spec.layout.sync.unpack(raw)
        kind = Kind(message["kind"])
        self.messages += 1
        state = self._registers.get((target, message["gid"]))
        if state is None:
            return kind
        switch = target >= self._targets.nodes
        if kind is Kind.DISTRIBUTE:
            if switch:
                self.hits[f"DISTRIBUTE with {_up_to_many(state.children)} children"] += 1
                state.arrived.clear()
            return kind
        meets = "children" if state.arrived else "local" if state.local else "idle"
        self.hits[f"REDUCE at a {'switch' if switch else 'node'} meets {meets}"] += 1
        state.arrived.add(port)
        if switch and state.root and len(state.arrived) == state.children:
            self.hits[f"root switch fires with {_up_to_many(state.children)} children"] += 1
            state.arrived.clear()
        return kind

    def _without_credit(self, full: int) -> None:
        for lane in bits(full):
            link, channel = divmod(lane, self._links.width)
            what = "ordinary" if channel < self._links.channels else "message"
            self.hits[f"no credit: {self._where(link)}, {what}"] += 1
