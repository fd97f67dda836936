"""A mesh whose groups managers set up, cycle by cycle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from syncfabric.models.golden.channel import HEAD, TAIL, Flit
from syncfabric.models.golden.living_barrier import LivingBarrierUnit
from syncfabric.models.golden.local_port import LocalPort
from syncfabric.models.golden.mesh import MeshModel
from syncfabric.models.golden.model import Arrivals
from syncfabric.models.golden.record import ConfigRequest, Message, Observer, Record
from syncfabric.models.golden.register_file import RegisterFile
from syncfabric.models.golden.rules import Rules
from syncfabric.models.golden.set_up_model import ManagedModel
from syncfabric.models.golden.set_up_sink import SetUpSink
from syncfabric.models.golden.set_up_steps import Dialect
from syncfabric.models.golden.wiring import HERE
from syncfabric.models.messages import LIFE, STATUS, RegisterWord
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["ManagedMeshModel"]

IMAGE = range(RegisterWord.PARENT, RegisterWord.SOUTH + 1)


class ManagedMeshModel(ManagedModel, MeshModel):
    """A ``MeshModel`` with set-up sinks, managers and local ports.

    Parameters
    ----------
    network : MeshSpec
        With ``setup = "manager"``.
    observer : Observer, optional
        Hears of packets, messages and flits.
    """

    unit_type = LivingBarrierUnit

    def __init__(self, network: MeshSpec, *, observer: Observer | None = None) -> None:
        self._alarms = set()
        MeshModel.__init__(self, network, observer=observer)
        wiring, header, flit = self.wiring, network.layout.header, network.layout.flit
        nodes = [network.mesh.index(place) for place in network.manager_nodes]
        headers = [header.pack({"x": x, "y": y, "reply": 1}) for x, y in network.manager_nodes]
        if network.has_messages:
            sinks = self._register_sinks(headers)
        else:
            sinks = self._slot_sinks(range(wiring.nodes), HERE, headers, flit)
        self._build(sinks)
        image_words = len(IMAGE) if network.has_messages else 1
        self._employ(nodes, image_words=image_words, routers=wiring.nodes, flit=flit)
        reply_bit = header.pack({"reply": 1})
        self._ports = [
            LocalPort(sinks[node], self.managers.get(node), reply_bit)
            for node in range(wiring.nodes)
        ]
        self._busy_ports: set[int] = set()
        self._inner: list[tuple[int, Flit]] = []
        # Lanes of set-up packets between a router and its local port: on no wire of the network.
        outputs = [wiring.lane(node, HERE, wiring.channels) for node in range(wiring.nodes)]
        inputs = [wiring.injection(node, wiring.channels) for node in range(wiring.nodes)]
        self._local_outputs = {lane: node for node, lane in enumerate(outputs)}
        self._local_inputs = inputs
        self._hidden = frozenset([*outputs, *inputs])

    def _register_sinks(self, headers: Sequence[int]) -> dict[int, SetUpSink]:
        """Return the sinks for registers of messages."""
        flit, dialect = self.network.layout.flit, _dialect(Rules(self.network, self.wiring))
        sinks = {}
        for router in self._routers:
            unit = router.unit
            assert isinstance(unit, LivingBarrierUnit)
            unit.alarms = self._alarms
            sinks[unit.node] = SetUpSink(unit, dialect, unit.node, headers, flit)
        return sinks

    def is_moving(self) -> bool:
        """Return whether anything may happen in the coming cycle without inputs."""
        return bool(self._busy_ports) or super().is_moving()

    def is_empty(self) -> bool:
        """Return whether no packet is waiting or under way."""
        return not self._busy_ports and super().is_empty()

    def _configure(
        self, now: int, config: ConfigRequest | None, arrive: Mapping[tuple[int, int], int]
    ) -> list[RegisterFile[Any]]:
        """Obey the request, and those of the set-up sinks."""
        written = super()._configure(now, config, arrive)
        self._begin_sinks(now, config, written)
        return written

    def _transport(self, now: int, flits: list[tuple[int, Flit]]) -> None:
        moved: list[tuple[int, Flit]] = []
        super()._transport(now, moved)
        first = self.wiring.first_injection * self.wiring.lanes
        offered: dict[int, tuple[int, Flit]] = {}
        for lane, flit in moved:
            if lane >= first:
                offered[lane // self.wiring.lanes - self.wiring.first_injection] = lane, flit
            else:
                self._inner.append((lane, flit))
            if lane not in self._hidden:
                flits.append((lane, flit))
        senders = [node for node, manager in self.managers.items() if manager.offer is not None]
        for node in sorted(self._busy_ports.union(offered, senders)):
            self._pass(node, offered.get(node))

    def _pass(self, node: int, offered: tuple[int, Flit] | None) -> None:
        """Let a local port do what it does in a cycle."""
        port = self._ports[node]
        gone = port.pop()
        if gone is not None:
            raw, for_sink = gone
            self._freed.append(self.wiring.lane(node, HERE, self.wiring.channels))
            if for_sink:
                self._accept(node, raw)
        lane = self._local_inputs[node]
        if offered is not None:
            port.hold.append(offered)
        if port.offer() and self.credits[lane]:
            self.credits[lane] -= 1
            raw = port.take()
            sink = port.sink
            mark = HEAD * bool(raw & sink.head) | TAIL * bool(raw & sink.tail)
            code = raw & self.wiring.code_mask
            self._inner.append((lane, (raw, mark, code, self._set_up_packet)))
        elif port.hold:
            self._inner.append(port.hold.popleft())
        self._mark_busy(node)

    def _mark_busy(self, node: int) -> None:
        if self._ports[node].is_busy():
            self._busy_ports.add(node)
        else:
            self._busy_ports.discard(node)

    def _deliver(self, now: int, flits: list[tuple[int, Flit]]) -> None:
        ordinary = []
        if self.guards is not None:
            inner = [(lane, flit) for lane, flit in self._inner if not self.guards.has(lane)]
            self._inner = inner + [(lane, f) for lane, f in flits if self.guards.has(lane)]
        for lane, flit in self._inner:
            node = self._local_outputs.get(lane)
            if node is None:
                ordinary.append((lane, flit))
            else:
                self._ports[node].arrived.append(flit[0])
                self._busy_ports.add(node)
        self._inner.clear()
        super()._deliver(now, ordinary)

    def _record(
        self,
        now: int,
        flits: Sequence[tuple[int, Flit]],
        messages: Sequence[tuple[int, Message]],
        credit: Sequence[int],
    ) -> Record | None:
        shown = [lane for lane in credit if lane not in self._hidden]
        return super()._record(now, flits, messages, shown)

    def _reply(self, target: int, flits: list[int]) -> None:
        self._ports[target].replies.extend(flits)
        self._busy_ports.add(target)

    def _edge(self, accepted: Arrivals) -> None:
        self._end()
        super()._edge(accepted)


def _dialect(rules: Rules) -> Dialect:
    busy = (1 << STATUS.width) - 1
    return Dialect(
        image={word: rules.kept_bits[word] for word in IMAGE},
        control=rules.kept_bits[RegisterWord.CONTROL],
        state=int(RegisterWord.STATUS),
        busy=busy | LIFE.pack({"dying": 1}) << STATUS.width,
        command=int(RegisterWord.STATUS),
    )
