"""The agent of a static network's node, and its words on the config port (R4 and R5)."""

from collections.abc import Callable
from typing import NamedTuple

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages.registers import COUNTER_BASE, Counter
from syncfabric.models.messages.static import (
    INIT,
    ROLE_WORD,
    STATUS_WORD,
    TIMEOUT_BITS,
    Role,
    StaticWord,
)
from syncfabric.models.messages.words import COUNTER_BITS

FULL = (1 << COUNTER_BITS) - 1
LEFT_MASK = (1 << 16) - 1
HELD_BACK = {Role.RING: 2, Role.TREE: 1}
"""Reads that are left when a member waits for its process to come to Wait."""
READERS = (Role.RING, Role.RING_ROOT, Role.TREE)
"""Roles whose process waits until the agent has read enough."""
OWED, BACK, GO, BEGUN, DONE = (
    STATUS_WORD.offsets[name] for name in ("owed", "back", "go", "begun", "done")
)


class Act(NamedTuple):
    """What an agent does in a cycle.

    It takes the front flit of the core buffer, puts one on the injection link, and releases its
    process in the next cycle.
    """

    pop: bool
    send: bool
    release: bool


IDLE = Act(False, False, False)


class Agent:
    """State of a node, less its buffers.

    Parameters
    ----------
    core_buffer : int
        Places B of the core buffers.
    timeout : int
        That of the watchdog after reset.

    Attributes
    ----------
    role, code : Role, int
        NONE leaves the core port to software; ``code`` as it was written: more than 5 are as 5.
    flits : int
        Flits of an episode of a tree.
    left : int
        Flits still to be read; at the root of a tree, to be sent before it has arrived.
    owed : int
        Flits that the root of a ring has still to send.
    back : bool
        The release has still to come back to the root of the ring.
    go : bool
        The root of a tree has arrived.
    begun : bool
        The root has received INIT.
    done : bool
        Released since the last arrive.
    hold : bool
        The process has not come to Wait: an input, no state.
    timeout : int
        Cycles that a process may wait until the watchdog reports it; 0: as long as it likes.
    due : int
        Cycle at whose end it does, if the process waits until then.
    counters : list of int
        The four event counters.
    """

    __slots__ = (
        "_core_buffer",
        "back",
        "begun",
        "code",
        "counters",
        "done",
        "due",
        "flits",
        "go",
        "hold",
        "left",
        "owed",
        "role",
        "timeout",
    )

    def __init__(self, core_buffer: int, timeout: int = 0) -> None:
        self._core_buffer = core_buffer
        self.role, self.code, self.flits = Role.NONE, 0, 0
        self.hold = False
        self.timeout, self.due = timeout, -1
        self.counters = [0] * len(Counter)
        self.reset()

    def reset(self) -> None:
        """Make everything but role, flits and counters as after reset."""
        self.left = self.owed = 0
        self.back = self.go = self.begun = self.done = False

    def count(self, counter: Counter) -> None:
        """Count an event, up to the counter's last value."""
        if self.counters[counter] < FULL:
            self.counters[counter] += 1

    @property
    def is_idle(self) -> bool:
        """Whether all the state that a new role must not meet is 0."""
        return not (self.left or self.owed or self.back or self.go or self.begun)

    @property
    def ready(self) -> bool:
        """Whether a process can arrive."""
        if self.role is Role.NONE:
            return False
        return self.begun or self.role not in (Role.RING_ROOT, Role.TREE_ROOT)

    @property
    def waits(self) -> bool:
        """Whether the process is inside a barrier."""
        if self.role is Role.TREE_ROOT:
            return self.go
        return self.role in READERS and self.left > 0

    @property
    def state(self) -> int:
        """The bits of ``observe``: those of the STATUS word below ``done``."""
        flags = self.back << BACK | self.go << GO | self.begun << BEGUN
        return self.left | self.owed << OWED | flags

    def step(self, *, occupied: bool, credit: bool, arrive: bool) -> Act:
        """Go through a cycle.

        Parameters
        ----------
        occupied : bool
            The core buffer holds a flit at the start of the cycle.
        credit : bool
            The injection counter is not 0 then.
        arrive : bool
            An arrive is accepted in this cycle.
        """
        if self.role is Role.NONE:
            return IDLE
        if arrive:
            self.done = False
        if self.role is Role.RING_ROOT:
            act = self._root_of_ring(occupied=occupied, credit=credit, arrive=arrive)
        elif self.role is Role.TREE_ROOT:
            act = self._root_of_tree(credit=credit, arrive=arrive)
        elif self.role in HELD_BACK:
            act = self._member(HELD_BACK[self.role], occupied=occupied, arrive=arrive)
        else:
            act = Act(False, False, arrive)
        if act.release:
            self.done = True
        return act

    def _member(self, held_back: int, *, occupied: bool, arrive: bool) -> Act:
        """Read the flits of an episode: of a ring, B, the notify and the release."""
        if arrive:
            self.left = self._core_buffer + 2 if self.role is Role.RING else self.flits
            return IDLE
        if not occupied or not self.left or (self.hold and self.left <= held_back):
            return IDLE
        self.left -= 1
        return Act(True, False, not self.left)

    def _root_of_ring(self, *, occupied: bool, credit: bool, arrive: bool) -> Act:
        """Send the notify; read it when it is back; send the release and B fillers."""
        pop = occupied and not self.hold and (self.back or self.left > 0)
        send = credit and self.owed > 0
        notified = False
        if pop and self.back:
            self.back = False
        elif pop:
            self.left -= 1
            notified = not self.left
        if notified:
            self.owed += self._core_buffer + 1
            self.back = True
            send = credit
        if arrive:
            self.owed += 1
            self.left = self._core_buffer + 1
        self.owed -= send
        return Act(pop, send, notified)

    def _root_of_tree(self, *, credit: bool, arrive: bool) -> Act:
        """Send all flits of an episode but the last; that one when the process has arrived."""
        last = credit and not self.left and self.go and not self.hold
        free = credit and self.left > 0
        if free:
            self.left -= 1
        elif last:
            self.go = False
            self.left = self.flits - 1 & LEFT_MASK
        if arrive:
            self.go = True
        return Act(False, free or last, last)

    def configure(
        self, request: ConfigRequest, *, arrives: bool, flushed: bool, watched: bool
    ) -> tuple[bool, int, Callable[[], None] | None]:
        """Answer a request by the state at the start of the cycle.

        Parameters
        ----------
        request : ConfigRequest
        arrives, flushed : bool
            In this cycle an arrive is accepted, and the agent is being flushed.
        watched : bool
            There is a watchdog.

        Returns
        -------
        (bool, int, callable or None)
            Whether it is refused, the answer's data, and what is to be done at the edge.
        """
        address, data = request.address, request.data
        waits = watched and address == StaticWord.TIMEOUT
        if not request.write:
            found = self.timeout if waits else self._read(address)
            return found is None, found or 0, None
        if address == StaticWord.ROLE and self.is_idle and not arrives:
            return False, 0, lambda: self._assign(data)
        may_begin = self.role in (Role.RING_ROOT, Role.TREE_ROOT) and not self.begun
        if address == StaticWord.COMMAND and data == INIT and may_begin and not flushed:
            return False, 0, self.begin
        if waits:
            return False, 0, lambda: setattr(self, "timeout", data & (1 << TIMEOUT_BITS) - 1)
        self.count(Counter.REFUSED_WRITE)
        return True, 0, None

    def _read(self, address: int) -> int | None:
        if address == StaticWord.ROLE:
            return ROLE_WORD.pack({"role": self.code, "flits": self.flits})
        if address == StaticWord.STATUS:
            return self.state | self.done << DONE
        if 0 <= address - COUNTER_BASE < len(Counter):
            return self.counters[address - COUNTER_BASE]
        return None

    def _assign(self, data: int) -> None:
        values = ROLE_WORD.unpack(data)
        self.code, self.flits = values["role"], values["flits"]
        self.role = Role(min(self.code, Role.ALONE))

    def begin(self) -> None:
        """Obey INIT."""
        self.begun = True
        if self.role is Role.RING_ROOT:
            self.owed = self._core_buffer
        else:
            self.left = self.flits - 1 & LEFT_MASK
