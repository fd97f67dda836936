"""Slots of barrier wires: those of a router (X1 to X5), and a process's registers for them."""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import reduce
from operator import and_, or_, xor
from typing import NamedTuple

from syncfabric.models.golden.counters import Counters
from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.engine.memory import Answer, Freed, Message
from syncfabric.models.golden.engine.node_port import Arrival, NodePort
from syncfabric.models.layout.engine import COMMIT, Code, Kind
from syncfabric.models.layout.slots import SlotLayout
from syncfabric.models.layout.words import EngineWord, PortWord
from syncfabric.models.messages.registers import Op

_MERGE: dict[int, Callable[[int, int], int]] = {Op.OR: or_, Op.AND: and_, Op.XOR: xor}
_ENDS = (Kind.LAST, Kind.BROKEN)


class SlotMessage(NamedTuple):
    """Kind and data."""

    kind: int
    data: int = 0


class Burst(NamedTuple):
    """What a slot sends in a cycle, and by which ports."""

    ports: frozenset[int]
    message: SlotMessage


class SlotState(NamedTuple):
    """What streams see of a slot in a cycle; ``goes``: its GO is on the wires."""

    alive: bool
    goes: bool
    children: frozenset[int]
    parent: frozenset[int]


def pack(layout: SlotLayout, message: SlotMessage) -> int:
    """Return a slot's word on a link."""
    word = message.kind | message.data << 2
    even = word.bit_count() % 2 == 0
    return word | even << layout.word.width - 1 if layout.parity else word


def unpack(layout: SlotLayout, word: int) -> SlotMessage | None:
    """Return the message of a word; None: its parity is wrong."""
    if layout.parity and word.bit_count() % 2 == 0:
        return None
    return SlotMessage(word & 3, word >> 2 & (1 << layout.engine.data_bits) - 1)


class _Slot:
    """Image and state of a slot."""

    def __init__(self) -> None:
        self.children, self.parent, self.op = frozenset[int](), frozenset[int](), 0
        self.missing = frozenset[int]()
        self.alive, self.epoch, self.acc = False, 0, 0
        self.turn = self.last = self.fresh = self.old = False

    @property
    def waits(self) -> bool:
        """Whether the watchdog looks after it (E3.2)."""
        return self.alive and (not self.fresh or (self.turn and self.last and bool(self.parent)))


class RouterSlots:
    """Cycle-exact model of ``rtl/slots/plane.py``.

    Parameters
    ----------
    layout : SlotLayout
    reports : bool
        Ends of groups are reported.

    Attributes
    ----------
    sends : dict of int to Burst
        What slots send in this cycle.
    answer : Answer or None
        To the command of the cycle before.
    events : int
        Events that count in this cycle.
    reported : set of int
        Slots whose end is to be reported.
    called : callable
        Is called in a cycle with a command.
    holds : callable
        Says whether a slot's stream lets a SETUP wait in this cycle.
    """

    def __init__(self, layout: SlotLayout, *, reports: bool) -> None:
        self._layout, self._reports = layout, reports
        self._own = layout.engine.links  # the process's port
        self._slots = [_Slot() for _ in range(layout.slots)]
        self.sends: dict[int, Burst] = {}
        self.answer: Answer | None = None
        self.events = 0
        self.reported = set[int]()
        self._command: tuple[Mapping[str, int], int] | None = None
        self.called: Callable[[], object] = lambda: None
        self.holds: Callable[[int], bool] = lambda _: False

    @property
    def is_idle(self) -> bool:
        """Whether nothing moves without messages, requests and visits."""
        return not (self.sends or self.answer or self._command)

    @property
    def calls(self) -> bool:
        """Whether there is something for the router's words, or its sink."""
        return bool(self.events or self.reported)

    @property
    def watches(self) -> bool:
        """Whether a visit may change something."""
        return any(slot.waits for slot in self._slots)

    def epoch(self, slot: int) -> int:
        """Return the epoch of a slot."""
        return self._slots[slot].epoch

    def state(self, slot: int) -> SlotState:
        """Return what streams see of a slot."""
        here, burst = self._slots[slot], self.sends.get(slot)
        goes = burst is not None and burst.message.kind == Kind.GO
        return SlotState(here.alive, goes, here.children, here.parent)

    def awaited(self, slot: int) -> frozenset[int]:
        """Return the ports that a slot awaits; none if it is not alive."""
        here = self._slots[slot]
        return here.missing if here.alive else frozenset()

    def asks(self, request: Request | None, staged: int) -> Request | None:
        """Take what is asked of a slot in this cycle, and hand on what is asked of the engine."""
        if request is None or request[:2] != (True, EngineWord.COMMIT):
            return request
        command = COMMIT.unpack(request.data)
        if command["entry"] < self._layout.first:
            return request
        if self.answer is None:
            self._command = command, staged
            self.called()
        return None

    def report(self) -> Freed | None:
        """Report the lowest slot that has ended."""
        if not self.reported:
            return None
        s = min(self.reported)
        self.reported.remove(s)
        return Freed(self._layout.first + s, self._slots[s].epoch)

    def step(
        self,
        links: Mapping[int, Mapping[int, int]],
        own: Mapping[int, SlotMessage],
        failed: Collection[int] = (),
        *,
        visited: bool = False,
    ) -> None:
        """Go over a clock edge.

        Parameters
        ----------
        links : mapping of int to (mapping of int to int)
            Words that come, by slot and link.
        own : mapping of int to SlotMessage
            The process's messages, by slot.
        failed : collection of int
            Slots that break as their streams have failed.
        visited : bool
            The watchdog looks.
        """
        self.answer, self.events, self.sends = None, 0, {}
        code, at, staged = self._commanded()
        everywhere = range(len(self._slots)) if visited else ()
        for s in {*links, *own, *failed, *everywhere, *([at] if at is not None else [])}:
            comes: dict[int, SlotMessage] = {}
            unexpected = False
            for p, word in links.get(s, {}).items():
                message = unpack(self._layout, word)
                if message is None:
                    unexpected = True
                else:
                    comes[p] = message
            if s in own:
                comes[self._own] = own[s]
            asked = code if s == at else None
            unexpected |= self._step(s, comes, asked, breaks=s in failed, visited=visited)
            self.events += unexpected
            if asked == Code.SETUP:
                self._set_up(self._slots[s], staged)

    def _commanded(self) -> tuple[int | None, int | None, int]:
        """Answer the command of this cycle; return its code if its condition holds, and slot."""
        if self._command is None:
            return None, None, 0
        (command, staged), self._command = self._command, None
        s, code = command["entry"] - self._layout.first, command["code"]
        if s >= len(self._slots):
            self.answer = Answer(True)
            self.events += 1
            return None, None, 0
        slot = self._slots[s]
        if code == Code.SETUP and not slot.alive and self.holds(s):
            return None, None, 0  # it is asked again
        met = slot.alive != (code == Code.SETUP) and command["epoch"] == slot.epoch
        if code == Code.GO:
            met = met and not slot.missing
        met = met or code == Code.READ
        self.answer = Answer(not met, slot.alive | slot.epoch << 1)
        if code == Code.KILL and not slot.alive:
            slot.epoch = command["epoch"]
            self.answer = self.answer._replace(error=False)
            return None, None, 0
        self.events += not met
        return (code, s, staged) if met else (None, None, 0)

    def _step(
        self,
        s: int,
        comes: Mapping[int, SlotMessage],
        code: int | None,
        *,
        breaks: bool,
        visited: bool,
    ) -> bool:
        """Take a slot through a cycle; return whether something came for nothing."""
        slot = self._slots[s]
        ends = {p for p, m in comes.items() if m.kind == Kind.BROKEN}
        received = {p for p in ends if slot.alive and p in slot.parent}
        hits = {p: m for p, m in comes.items() if p not in ends and p in slot.missing}
        if not slot.alive:
            hits = {}
        expires = visited and slot.waits and slot.old and not hits
        if visited and not hits and slot.waits:
            slot.old = True
        if hits:
            slot.old = False
        broken = bool(received) or code == Code.KILL or expires or (breaks and slot.alive)
        goes = code == Code.GO
        whole = bool(hits) and slot.missing == hits.keys()
        combined = 0
        if hits and not broken:
            words = [m.data for m in hits.values()] + ([] if slot.fresh else [slot.acc])
            combined = reduce(_MERGE[slot.op], words)
        lasts = all(m.kind in _ENDS for m in hits.values())
        if broken:
            kind = Kind.BROKEN
        elif goes or any(m.kind == Kind.GO for m in hits.values()):
            kind = Kind.GO
        else:
            kind = Kind.LAST if slot.last and lasts else Kind.PLAIN
        if broken or goes or whole:
            self._fire(s, broken, kind, combined)
        elif hits:
            slot.missing -= hits.keys()
            slot.acc, slot.fresh = combined, False
            slot.last &= lasts
        return len(comes) > len(hits) + len(ends)

    def _fire(self, s: int, broken: bool, kind: int, combined: int) -> None:
        slot = self._slots[s]
        down = broken or slot.turn
        if slot.turn and kind == Kind.LAST and not slot.parent and self._reports:
            self.reported.add(s)
        slot.missing = slot.children if down else slot.parent
        self.sends[s] = Burst(slot.missing, SlotMessage(kind, combined))
        slot.alive = not (broken or (slot.turn and kind == Kind.LAST))
        slot.acc, slot.fresh, slot.last, slot.old = combined, True, True, False
        slot.turn = not slot.parent or not slot.turn

    def _set_up(self, slot: _Slot, staged: int) -> None:
        children, parent, op = self._fields(staged)
        slot.children, slot.parent, slot.op = _ports(children), _ports(parent), op
        slot.epoch = (slot.epoch + 1) % 4
        slot.alive = slot.turn = slot.fresh = True
        slot.last = slot.old = False
        slot.missing = slot.parent

    def _fields(self, staged: int) -> Iterable[int]:
        for field in self._layout.image:
            yield staged & (1 << field.width) - 1
            staged >>= field.width


def _ports(mask: int) -> frozenset[int]:
    return frozenset(p for p in range(mask.bit_length()) if mask >> p & 1)


class SlotPorts:
    """Cycle-exact model of the slots' part of ``rtl/slots/plane.py`` (X1.4).

    Parameters
    ----------
    slots : int
    counters : bool
        Refused arrives are counted.

    Attributes
    ----------
    ports : list of NodePort
        By slot, with one register.
    """

    def __init__(self, slots: int, *, counters: bool) -> None:
        self.ports = [NodePort(1, counters=False) for _ in range(slots)]
        self._counters = Counters(PortWord, built=counters)

    @property
    def refused(self) -> int:
        """Cycles with a refused arrive."""
        return self._counters[PortWord.REFUSED_ARRIVE]

    @property
    def is_idle(self) -> bool:
        """Whether nothing changes without an arrival or a message."""
        return self._counters.is_idle and all(port.is_idle for port in self.ports)

    def step(
        self, arrivals: Mapping[int, Arrival], answers: Mapping[int, SlotMessage]
    ) -> dict[int, SlotMessage]:
        """Go through a cycle; return the messages for slots.

        Parameters
        ----------
        arrivals, answers : mapping of int to Arrival or SlotMessage
            By slot.
        """
        sends: dict[int, SlotMessage] = {}
        refuses = False
        for s, port in enumerate(self.ports):
            if s not in arrivals and s not in answers and port.is_idle:
                continue
            offer = port.offer
            if offer:
                sends[s] = SlotMessage(offer.kind, offer.data)
            message = Message(0, 0, *answers[s]) if s in answers else None
            here = {0: arrivals[s]} if s in arrivals else {}
            port.advance(here, message, granted=offer is not None)
            refuses |= port.refuses
        self._counters.step([PortWord.REFUSED_ARRIVE] * refuses)
        return sends
