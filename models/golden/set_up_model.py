"""What networks of every kind have in common where managers set groups up."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

from syncfabric.models.golden.config_port import configure
from syncfabric.models.golden.manager import Manager
from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.record import ConfigRequest, Packet
from syncfabric.models.golden.register_file import RegisterFile
from syncfabric.models.golden.set_up_sink import SetUpSink
from syncfabric.models.golden.set_up_steps import Access
from syncfabric.models.golden.wire_place import SetUpSlots, slot_dialect
from syncfabric.models.golden.wires import WireModel
from syncfabric.models.messages import Counter, Layout
from syncfabric.models.messages.wires import WireLayout

__all__ = ["ManagedModel"]


class ManagedModel(GoldenModel):
    """Set-up sinks and managers (sections S3 to S5 of docs/microarchitecture.md).

    Sinks are known by the numbers of their routers on the config port. Only those whose number is
    in ``_alarms`` are looked at; the registers put it there when a group is free.
    """

    _alarms: set[int]
    _slots: WireModel | None = None
    """What the sinks set up, if it is not registers of messages."""

    def _build(self, sinks: Mapping[int, SetUpSink]) -> None:
        """Take in the sinks, when all else is there."""
        self._sinks = sinks
        self._accessed: set[int] = set()
        self._set_up_packet = Packet(-1, -1, -1, -1)

    def _slot_sinks(
        self, targets: range, links: int, headers: Sequence[int], flit: Layout
    ) -> dict[int, SetUpSink]:
        """Make the sinks of routers or switches without registers of messages.

        Parameters
        ----------
        targets : range
            Their numbers on the config port; those of the sinks begin with 0.
        links : int
            Links of each; on a mesh the process is the port after them.
        headers, flit
            As of ``SetUpSink``.
        """
        assert self.wires is not None
        self._slots = self.wires
        dialect = slot_dialect(WireLayout(links, targets.start == 0, 0))
        return {
            target: SetUpSink(
                SetUpSlots(target, self._places[target].unit.count, self.wires),
                dialect,
                number,
                headers,
                flit,
            )
            for number, target in enumerate(targets)
        }

    def _employ(
        self, nodes: Collection[int], *, image_words: int, routers: int, flit: Layout
    ) -> None:
        """Make the managers."""
        for number, node in enumerate(nodes):
            stray = partial(self._places[node].unit.count, Counter.STRAY)
            self.managers[node] = Manager(number, image_words, routers, flit, stray)

    def is_moving(self) -> bool:
        """Return whether anything may happen in the coming cycle without inputs."""
        if self._alarms or any(manager.is_moving() for manager in self.managers.values()):
            return True
        return super().is_moving()

    def _begin_sinks(
        self, now: int, request: ConfigRequest | None, written: list[RegisterFile[Any]]
    ) -> None:
        """Let the sinks do their steps, after a request from outside that is looked at now.

        Units whose registers may be written are added to ``written``.
        """
        if request is not None and written:
            self._accessed.add(request.node)
        for target in sorted(self._alarms):
            free = request is None or request.node != target or self._is_for_manager(request)
            self._sinks[target].begin(now, free, partial(self._access, now, target, written))

    def _is_for_manager(self, request: ConfigRequest) -> bool:
        manager = self.managers.get(request.node)
        return manager is not None and manager.has(request.address)

    def _access(
        self, now: int, target: int, written: list[RegisterFile[Any]], access: Access
    ) -> tuple[bool, int]:
        """Do what a set-up sink asks of its own router."""
        self.touched.add(target)
        if self._slots is not None:
            return self._slots.access(target, access.address, access.write, access.data)
        met = self._met(now, target) if access.write else ()
        unit = self._places[target].unit
        written.append(unit)
        self._accessed.add(target)
        return configure(unit, access.address, access.write, access.data, met)

    def _met(self, now: int, target: int) -> Collection[int]:
        """Return a place's registers that are busy because of what reaches them in this cycle."""
        return ()

    def _accept(self, target: int, raw: int) -> None:
        """Hand a flit to a set-up sink."""
        self._sinks[target].accept(raw)
        self._alarms.add(target)

    def _end(self) -> None:
        """End the cycle of sinks and managers."""
        for target in sorted(self._alarms):
            sink = self._sinks[target]
            self.touched.add(target)  # it may clear what a register has freed, or count a stray
            offered = sink.end()
            if offered:
                self._reply(target, offered)
            self._listen(target, sink.listening)
            if not sink.is_awake():
                self._alarms.discard(target)
        for manager in self.managers.values():
            if manager.is_moving():
                manager.advance()

    @abstractmethod
    def _reply(self, target: int, flits: list[int]) -> None:
        """Offer a sink's reply to its router from the next cycle on."""

    def _listen(self, target: int, listening: bool) -> None:
        """Let a sink take flits from the next cycle on, or not."""

    def _turn_page(self) -> None:
        # Commands take effect at the edge, and are seen to from the next cycle on.
        self._awake.update(self._accessed)
        self._accessed.clear()
        super()._turn_page()
