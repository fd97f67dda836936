"""What stands between a mesh's router and its node where managers set groups up."""

from __future__ import annotations

from collections import deque

from syncfabric.models.golden.channel import Flit
from syncfabric.models.golden.manager import Manager
from syncfabric.models.golden.set_up_sink import SetUpSink

__all__ = ["LocalPort"]


class LocalPort:
    """One local port (section S3 of docs/microarchitecture.md).

    Parameters
    ----------
    sink : SetUpSink
        The router's set-up sink.
    manager : Manager or None
        The node's manager.
    reply_bit : int
        The bit of a header that says for whom a packet is.

    Attributes
    ----------
    arrived : deque of int
        Flits of set-up packets that have left the router.
    replies : deque of int
        Flits of the sink's reply that is on offer.
    hold : deque of (lane, flit)
        Ordinary flits of the node's source that had to wait.
    """

    def __init__(self, sink: SetUpSink, manager: Manager | None, reply_bit: int) -> None:
        self.sink, self.manager, self.reply_bit = sink, manager, reply_bit
        self.arrived: deque[int] = deque()
        self.replies: deque[int] = deque()
        self.hold: deque[tuple[int, Flit]] = deque()
        self._for_manager = False
        self._begun: str | None = None

    def is_busy(self) -> bool:
        """Return whether there is something to do without any flit from outside."""
        return bool(self.arrived or self.replies or self.hold)

    def pop(self) -> tuple[int, bool] | None:
        """Take the flit that leaves in this cycle; return it, and whether it is for the sink."""
        if not self.arrived:
            return None
        raw = self.arrived[0]
        if raw & self.sink.head:
            self._for_manager = bool(raw & self.reply_bit)
        if not self._for_manager and not self.sink.listening:
            return None
        self.arrived.popleft()
        if self._for_manager and self.manager is not None:
            self.manager.hear(raw)
        return raw, not self._for_manager

    def offer(self) -> bool:
        """Return whether the set-up sender offers a flit in this cycle."""
        return self._sender() is not None

    def _sender(self) -> str | None:
        requests = self.manager is not None and self.manager.offer is not None
        if self._begun != "manager" and self.replies:
            return "sink"
        return "manager" if self._begun != "sink" and requests else None

    def take(self) -> int:
        """Let the flit on offer go; return it."""
        sender = self._sender()
        if sender == "sink":
            raw = self.replies.popleft()
            if raw & self.sink.tail:
                self.sink.replied()
        else:
            assert self.manager is not None
            raw = self.manager.take()
        self._begun = None if raw & self.sink.tail else sender
        return raw
