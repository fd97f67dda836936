"""Set-up without managers: ``setup = "local"``, and ``"paper"`` as paper BTIN has it.

Nobody acknowledges anything here: what a write or a request came to, no one is told.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Self

from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.planning.switch_tree import Seat
from syncfabric.models.setup.entry import Entry
from syncfabric.models.setup.life import Life, Progress, Stage
from syncfabric.models.setup.message import Image
from syncfabric.models.setup.network import Event, Network
from syncfabric.models.setup.rules import Rules

__all__ = ["LocalNetwork", "PaperNetwork"]


class LocalNetwork(Network):
    """A network whose registers are all written on the spot, in any order, by who knows the tree.

    They are cleared when all members have been released for the last time. With rule ``start``
    nobody arrives before all are written.
    """

    def _life_events(self, life: Life, progress: Progress) -> Iterator[Event]:
        if self._turn(life):
            for place, (seat, _) in enumerate(_seats(life)):
                if place not in progress.opened and (seat, life.gid) not in self.entries:
                    yield "write", life.number, place
        if _through(life, progress):
            for switch, _ in life.switches:
                yield from self._clearing(life, switch)

    def _turn(self, life: Life) -> bool:
        return life.after not in self.progress

    def _clearing(self, life: Life, switch: int) -> Iterator[Event]:
        entry = self.entries.get((switch, life.gid))
        if entry is not None and entry.life == life.number and not entry.busy:
            yield "clear", life.number, switch

    def _ready(self, entry: Entry, life: Life) -> bool:
        written = len(self.progress[life.number].opened)
        return not self.rules.start or written == len(_seats(life))

    def _may_close(self, life: Life, progress: Progress, member: int) -> bool:
        return progress.released[member] == life.barriers

    def apply(self, event: Event) -> None:
        """Let one of ``events`` happen."""
        super().apply(event)
        for number, progress in list(self.progress.items()):
            if _through(self.lives[number], progress) and self._cleared(self.lives[number]):
                self.progress[number] = progress._replace(stage=Stage.OVER)
                self._tidy(number)

    def _cleared(self, life: Life) -> bool:
        held = [self.entries.get((switch, life.gid)) for switch, _ in life.switches]
        return all(entry is None or entry.life != life.number for entry in held)

    def _write(self, number: int, place: int) -> None:
        life, progress = self.lives[number], self.progress[number]
        seat, image = _seats(life)[place]
        self.entries[seat, life.gid] = Entry(image, number)
        self.progress[number] = progress._replace(opened=progress.opened | {place})

    def _clear(self, number: int, switch: int) -> None:
        del self.entries[switch, self.lives[number].gid]


class PaperNetwork(LocalNetwork):
    """A network whose groups are set up as paper BTIN, section 3.1, Setup_Register, says.

    A member writes its node's register; the representative of a switch, the member at its lowest
    port, that of its switch, and it asks a node of each nonmember switch below, by a packet, to
    write the one there. How a group ends the paper does not say: here in the same way, by the
    representatives, each after its own last release.
    """

    def __init__(
        self,
        topology: Irregular,
        lives: Iterable[Life],
        *,
        rules: Rules | None = None,
        registers: int | None = None,
    ) -> None:
        super().__init__(topology, lives, rules=rules, registers=registers)
        self.asked: dict[tuple[Place, int], tuple[tuple[int, int, bool], ...]] = {}

    def copy(self) -> Self:
        """Return a state that changes apart from this one."""
        other = super().copy()
        other.asked = self.asked.copy()
        return other

    def key(self) -> Hashable:
        """Return what tells this state from all others."""
        return super().key(), frozenset(self.asked.items())

    def events(self) -> list[Event]:
        """Return everything that may happen next."""
        return [*super().events(), *(("obey", *channel) for channel in self.asked)]

    def _left(self) -> Iterator[tuple[str, Iterable[Any]]]:
        yield from super()._left()
        yield "request", self.asked

    def _life_events(self, life: Life, progress: Progress) -> Iterator[Event]:
        first = len(life.switches)
        for member, (node, _) in enumerate(life.nodes):
            place = first + member
            if place not in progress.opened:
                if self._turn(life) and (node, life.gid) not in self.entries:
                    yield "write", life.number, place
            elif progress.released[member] == life.barriers and _represents(life, node):
                yield from self._clearing(life, node[0])

    def _cleared(self, life: Life) -> bool:
        """What the others were asked to clear nobody knows."""
        own = {switch for (switch, _), _ in life.nodes}
        held = [self.entries.get((switch, life.gid)) for switch in own]
        return all(entry is None or entry.life != life.number for entry in held)

    def _write(self, number: int, place: int) -> None:
        super()._write(number, place)
        life = self.lives[number]
        node, _ = life.nodes[place - len(life.switches)]
        if _represents(life, node):
            for own, (switch, _) in enumerate(life.switches):
                if switch == node[0]:
                    self._try(number, own)
            self._request(number, node, write=True)

    def _clear(self, number: int, switch: int) -> None:
        super()._clear(number, switch)
        life = self.lives[number]
        node = min(node for node, _ in life.nodes if node[0] == switch)
        self._request(number, node, write=False)

    def _request(self, number: int, node: Place, *, write: bool) -> None:
        """Ask for the registers of the nonmember switches below a representative."""
        life = self.lives[number]
        for place, (switch, _) in enumerate(life.switches):
            if self._answers_for(life, switch) == node and switch != node[0]:
                channel = node, switch
                self.asked[channel] = (*self.asked.get(channel, ()), (number, place, write))

    def _answers_for(self, life: Life, switch: int) -> Place:
        """Return the representative at the switch, or at the nearest member switch above."""
        images = dict(life.switches)
        while not (own := [node for node, _ in life.nodes if node[0] == switch]):
            above = self.topology.across(switch, images[switch].parent)
            assert above is not None, "trees are made of links, and the root is a member"
            switch = above[0]
        return min(own)

    def _obey(self, node: Place, switch: int) -> None:
        (number, place, write), *rest = self.asked.pop((node, switch))
        if rest:
            self.asked[node, switch] = tuple(rest)
        key = switch, self.lives[number].gid
        if write:
            self._try(number, place)
        elif key in self.entries and not self.entries[key].busy:
            del self.entries[key]

    def _try(self, number: int, place: int) -> None:
        """Write a switch's register, if there is one free; nobody is told if not."""
        life, progress = self.lives[number], self.progress[number]
        switch, image = life.switches[place]
        if (switch, life.gid) in self.entries or not self._room(switch):
            return
        self.entries[switch, life.gid] = Entry(image, number)
        self.progress[number] = progress._replace(opened=progress.opened | {place})


def _seats(life: Life) -> tuple[tuple[Seat, Image], ...]:
    return (*life.switches, *life.nodes)


def _through(life: Life, progress: Progress) -> bool:
    return all(times == life.barriers for times in progress.released)


def _represents(life: Life, node: Place) -> bool:
    return node == min(other for other, _ in life.nodes if other[0] == node[0])
