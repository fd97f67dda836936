"""How many messages wait at an input of an engine (engine E4, E5, E12): head and queue.

One input and the local source of a router of E entries, and a neighbour that sends as soon as the
contract of the link (E12.1) lets it. Groups are killed and set up again as fast as the local source
is served. What other inputs do only delays both of them.
"""

from collections.abc import Hashable
from typing import Self

from tests.models.verify.explorer import Event, Violation

ALIVE, ENDING, SILENT, DEAD = range(4)
"""Alive; dead here, but not at the neighbour, which may send, or awaits an answer; dead at both."""


class InputQueue:
    """State of an input.

    Parameters
    ----------
    entries : int
        E.
    places : int
        Places of head and queue.
    fair : bool
        The choice is that of E5; else the local source may always go first.
    short : bool
        A message is at the input before its entry is set up again; else it may be on the link, or
        in a relay's slot, during 3 set-ups.
    drained : bool
        No entry is set up while a message of its former group waits (E12.3).

    Attributes
    ----------
    waiting : tuple[tuple[int, int], ...]
        Entry and age of each message at the input: set-ups of the entry since it was sent; entry
        −1 is a BROKEN.
    link : tuple[tuple[int, int], ...]
        Messages before the input.
    local : int
        Services of the local source since the head came to be first.
    """

    def __init__(
        self,
        entries: int,
        places: int,
        *,
        fair: bool = True,
        short: bool = True,
        drained: bool = False,
    ) -> None:
        self.entries, self.places = entries, places
        self.fair, self.short, self.drained = fair, short, drained
        self.states: tuple[int, ...] = (ALIVE,) * entries
        self.waiting: tuple[tuple[int, int], ...] = ()
        self.link: tuple[tuple[int, int], ...] = ()
        self.local = 0
        self.most: dict[str, int] = {"waiting": 0}

    def copy(self) -> Self:
        """Return an independent copy; what is measured is shared."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def key(self) -> tuple[Hashable, ...]:
        """Return the parts of the state."""
        return self.states, self.waiting, self.link, self.local

    def persistent(self) -> Event | None:
        """Return nothing: every order matters here."""
        return None

    def events(self) -> list[Event]:
        """Return all that can happen."""
        found: list[Event] = []
        if self.waiting:
            found.append(("serve",))
        if self.link:
            found.append(("arrive",))
        if not self.waiting:
            found.append(("broken",))
        under_way = {entry for entry, age in (*self.waiting, *self.link) if age == 0}
        may_command = not (self.fair and self.waiting and self.local)
        for entry, state in enumerate(self.states):
            if state in (ALIVE, ENDING) and entry not in under_way:
                found.append(("send", entry))
            if state in (ENDING, SILENT):
                found.append(("neighbour", entry))
            elif may_command:
                found.append(("kill" if state == ALIVE else "set up", entry))
        return [event for event in found if event[0] != "set up" or self._may_set_up(event[1])]

    def _may_set_up(self, entry: int) -> bool:
        if self.short and any(other == entry for other, _ in self.link):
            return False
        ages = [age for other, age in (*self.waiting, *self.link) if other == entry]
        return not ages if self.drained else all(age < 3 for age in ages)

    def apply(self, event: Event) -> None:
        """Let an event happen."""
        what, *at = event
        if what == "serve":
            (entry, age), *rest = self.waiting
            self.waiting, self.local = tuple(rest), 0
            if age == 0 and entry >= 0 and self.states[entry] == ENDING:
                self._state(entry, SILENT)
        elif what == "send":
            self.link += ((at[0], 0),)
        elif what == "arrive":
            self._arrive(self.link[0])
            self.link = self.link[1:]
        elif what == "broken":
            self._arrive((-1, 0))
        elif what == "neighbour":
            self._state(at[0], DEAD)
        else:
            self.local = 1 if self.waiting else 0
            self._state(at[0], ENDING if what == "kill" else ALIVE)
            if what == "set up":
                self.waiting = _older(self.waiting, at[0])
                self.link = _older(self.link, at[0])

    def _state(self, entry: int, state: int) -> None:
        self.states = (*self.states[:entry], state, *self.states[entry + 1 :])

    def _arrive(self, message: tuple[int, int]) -> None:
        if not self.waiting:
            self.local = 0
        self.waiting += (message,)
        self.most["waiting"] = max(self.most["waiting"], len(self.waiting))
        if len(self.waiting) > self.places:
            raise Violation("a message that is not BROKEN is dropped at a full queue")

    def check_end(self) -> None:
        """Raise an error: here something can always happen."""
        raise Violation("nothing can happen")


def _older(messages: tuple[tuple[int, int], ...], entry: int) -> tuple[tuple[int, int], ...]:
    return tuple((other, age + (other == entry)) for other, age in messages)
