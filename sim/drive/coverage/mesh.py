"""What can be met on the links of a mesh."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator

from syncfabric.models.messages import Kind
from syncfabric.models.networks.mesh import Port, Turn
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.plan import BarrierPlan, GroupPlan
from syncfabric.sim.drive.coverage.shared import Coverage, RegisterState, shared_universe
from syncfabric.sim.drive.lanes import bits
from syncfabric.sim.drive.lines import Line

__all__ = ["MeshCoverage", "mesh_universe"]

_PORTS = (Port.EAST, Port.NORTH, Port.WEST, Port.SOUTH)
_STATES = ("idle", "children", "local", "children and local")


def mesh_universe(spec: MeshSpec) -> Iterator[str]:
    """Yield every bin that a mesh of at least 3x3 nodes can reach."""
    if spec.has_messages:
        yield from _of_messages(spec)
    if spec.channels:
        yield from (f"no credit: {port.name} ordinary" for port in _PORTS)
        yield from (f"two heads for {port.name} in one cycle" for port in Port)
        yield "no credit: inject"
    yield from shared_universe(spec)


def _of_messages(spec: MeshSpec) -> Iterator[str]:
    shared = spec.sync_links == "shared"
    for port in _PORTS:
        across = port in (Port.EAST, Port.WEST)
        for turn in Turn:
            if across == (turn == Turn.Y_FIRST):
                yield _met(Kind.REDUCE, port, turn, "here")
            yield _met(Kind.DISTRIBUTE, port, turn, "here")
            for kind in (Kind.REDUCE, Kind.DISTRIBUTE):
                yield _met(kind, port, turn, "passing")
            yield f"no credit: {port.name} class {turn:d}"
        yield from (f"REDUCE by {port.name} meets {state}" for state in _STATES)
        if spec.channels:
            word = "inside a packet" if shared else "beside a flit"
            yield f"message {word}: {port.name}"
    for children in range(5):
        yield f"DISTRIBUTE with {children} children"
        yield f"root released with {children} children"
    yield from (f"{count} messages to a node in one cycle" for count in (2, 3, 4))


def _met(kind: Kind, port: Port, turn: int, where: str) -> str:
    return f"{kind.name} {where} by {port.name} class {turn}"


class MeshCoverage(Coverage):
    """Watches one run on a mesh; see `Coverage`."""

    def __init__(self, plan: BarrierPlan) -> None:
        super().__init__(plan)
        assert isinstance(plan.spec.network, MeshSpec)
        self._spec, self._mesh = plan.spec.network, plan.spec.network.mesh
        self._own = self._spec.sync_links == "own"
        for group in plan.message_groups:
            assert isinstance(group, GroupPlan)
            for register in group.registers():
                node = self._mesh.index(register.node)
                children = sum(child is not None for child in register.children)
                state = RegisterState(children, register.parent is None)
                self._registers[node, group.id] = state

    def _on_links(self, line: Line) -> None:
        valid, channels = line.record.valid, self._links.channels
        messages: Tally[int] = Tally()
        heads: Tally[tuple[int, Port]] = Tally()
        beside = valid & self._masks.ordinary
        for lane, flit in zip(bits(valid), line.record.payloads, strict=True):
            link, channel = divmod(lane, self._links.width)
            end = self._links.ends[link]
            if channel < channels:
                if flit & self._head and end is not None:
                    heads[end[0], self._route(end[0], flit)] += 1
                self._goes_on(lane, flit)
                continue
            if channel < channels + self._links.setup:
                continue
            out = Port(link % 5)
            others = ((1 << channels) - 1) << link * self._links.width
            if self._own:
                if beside & others:
                    self.hits[f"message beside a flit: {out.name}"] += 1
            elif self._open & others:
                self.hits[f"message inside a packet: {out.name}"] += 1
            if end is not None:
                messages[end[0]] += 1
                self._message(end[0], Port(end[1]), flit & self._sync_mask)
        for count in messages.values():
            if count > 1:
                self.hits[f"{count} messages to a node in one cycle"] += 1
        for (_, wanted), count in heads.items():
            if count > 1:
                self.hits[f"two heads for {wanted.name} in one cycle"] += 1

    def _route(self, node: int, flit: int) -> Port:
        layout = self._spec.layout
        x = flit & (1 << layout.x_bits) - 1
        y = flit >> layout.x_bits & (1 << layout.y_bits) - 1
        return self._mesh.first_port(self._mesh.node(node), (x, y), Turn.X_FIRST)

    def _message(self, node: int, port: Port, raw: int) -> None:
        message = self._spec.layout.sync.unpack(raw)
        kind = Kind(message["kind"])
        if self._mesh.index((message["x"], message["y"])) != node:
            self.hits[_met(kind, port, message["turn"], "passing")] += 1
            return
        self.messages += 1
        self.hits[_met(kind, port, message["turn"], "here")] += 1
        state = self._registers.get((node, message["gid"]))
        if state is None:
            return
        if kind is Kind.DISTRIBUTE:
            self.hits[f"DISTRIBUTE with {state.children} children"] += 1
        else:
            meets = _STATES[bool(state.arrived) + 2 * state.local]
            self.hits[f"REDUCE by {port.name} meets {meets}"] += 1
            state.arrived.add(port)

    def _without_credit(self, full: int) -> None:
        for lane in bits(full):
            link, channel = divmod(lane, self._links.width)
            if lane >= self._masks.first_injection:
                self.hits["no credit: inject"] += 1
                continue
            kind = channel - self._links.channels
            what = "ordinary" if kind < 0 else f"class {kind}"
            self.hits[f"no credit: {Port(link % 5).name} {what}"] += 1
