"""Set-up by managers (``setup = "manager"``): requests, replies, and the lives they lead to."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Self

from syncfabric.models.messages import Answer, Request
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.planning.switch_tree import Seat
from syncfabric.models.setup.at_once import at_once
from syncfabric.models.setup.entry import Entry
from syncfabric.models.setup.epochs import mistakable
from syncfabric.models.setup.life import Life, Progress, Stage
from syncfabric.models.setup.manager import Command, Meddling
from syncfabric.models.setup.message import Packet, Reply
from syncfabric.models.setup.network import Event, Network, Violation
from syncfabric.models.setup.rules import Rules
from syncfabric.models.setup.switch import serve

__all__ = ["ManagedNetwork"]


class ManagedNetwork(Network):
    """A network whose groups are set up and torn down by managers.

    Requests of a manager to a switch travel in order, and so do a switch's replies to a manager,
    through one slot for each manager: a request that finds it taken is lost. All take as long
    as they like. Members and managers agree outside the network on which group lives next.

    Parameters
    ----------
    topology, lives, rules, registers
        As for :class:`Network`.
    meddlings : iterable of Meddling
        What managers try on groups of others, once each.
    """

    def __init__(
        self,
        topology: Irregular,
        lives: Iterable[Life],
        *,
        rules: Rules | None = None,
        registers: int | None = None,
        meddlings: Iterable[Meddling] = (),
    ) -> None:
        super().__init__(topology, lives, rules=rules, registers=registers)
        self.meddlings = tuple(meddlings)
        self.commands: dict[tuple[int, int], Command] = {}
        self.requests: dict[tuple[int, int], tuple[Packet, ...]] = {}
        self.slots: dict[tuple[Seat, int], Reply] = {}
        self.replies: dict[tuple[Seat, int], tuple[Reply, ...]] = {}
        self.packets = 0
        self.answers: dict[Answer, int] = dict.fromkeys(Answer, 0)

    def copy(self) -> Self:
        """Return a state that changes apart from this one."""
        other = super().copy()
        other.commands, other.requests = self.commands.copy(), self.requests.copy()
        other.slots, other.replies = self.slots.copy(), self.replies.copy()
        other.answers = self.answers.copy()
        return other

    def key(self) -> Hashable:
        """Return what tells this state from all others."""
        return (
            super().key(),
            frozenset(self.commands.items()),
            frozenset(self.requests.items()),
            frozenset(self.slots.items()),
            frozenset(self.replies.items()),
            self.meddlings,
        )

    def events(self) -> list[Event]:
        """Return everything that may happen next."""
        found = super().events()
        for manager, switch in self.requests:
            found.append(("serve", manager, switch))
        found.extend(("answer", *slot) for slot in self.slots)
        found.extend(("reply", *channel) for channel in self.replies)
        for (seat, gid), entry in self.entries.items():
            if entry.freed and self._may_tell(seat, entry):
                found.append(("free", seat, gid))
        for (manager, number), command in self.commands.items():
            if command.next is not None:
                found.append(("ask", manager, number))
            if number in self.progress and self.progress[number].repeats:
                found.extend(("repeat", manager, number, i) for i in command.repeatable())
        for meddling in self.meddlings:
            if self._idle(meddling.manager) and meddling.life in self.progress:
                found.append(("meddle", meddling))
        return found

    def at_once(self) -> Event | None:
        """Return one of ``events`` that may as well happen now as later, if there is one."""
        return at_once(self)

    def _left(self) -> Iterator[tuple[str, Iterable[Any]]]:
        yield from super()._left()
        yield "request", self.requests
        yield "reply", (*self.slots, *self.replies)

    def apply(self, event: Event) -> None:
        """Let one of ``events`` happen."""
        super().apply(event)
        ended = [n for n, progress in self.progress.items() if progress.stage >= Stage.REFUSED]
        for number in ended:
            self._tidy(number)

    # What managers and members begin.

    def _life_events(self, life: Life, progress: Progress) -> Iterator[Event]:
        stage, number = progress.stage, life.number
        if stage is Stage.OPENING and self._next(life):
            unopened = [i for i in range(len(life.nodes)) if i not in progress.opened]
            for member in unopened:
                entry = self.entries.get((life.nodes[member][0], life.gid))
                if entry is None or not entry.busy:
                    yield "open", number, member
            if not (unopened and self.rules.opened_first) and self._idle(life.manager):
                yield "command", number, Request.SETUP
        elif stage is Stage.ALIVE and self._idle(life.manager):
            if progress.freed:
                yield "command", number, Request.CLEAR
            if life.kill:
                yield "command", number, Request.KILL
            if not self.rules.set_up_once and progress.repeats:
                yield "command", number, Request.SETUP

    def _may_close(self, life: Life, progress: Progress, member: int) -> bool:
        """A member is through after the last barrier, or when the manager gave up."""
        done = life.last and progress.released[member] == life.barriers
        return done or progress.stage is Stage.REFUSED

    def _next(self, life: Life) -> bool:
        """Return whether it is a life's turn."""
        before = None if life.after is None else self.progress.get(life.after)
        if before is not None and before.stage < Stage.REFUSED:
            return False
        return not mistakable(life, self.links, self.entries, self.rules)

    def _idle(self, manager: int) -> bool:
        busy = any(holder == manager for holder, _ in self.commands)
        return not busy or not self.rules.one_command

    def _open(self, number: int, member: int) -> None:
        """A member writes its node's register, over what an old life has left there."""
        life, progress = self.lives[number], self.progress[number]
        node, image = life.nodes[member]
        self.entries[node, life.gid] = Entry(image, number)
        self.progress[number] = progress._replace(opened=progress.opened | {member})

    def _command(self, number: int, operation: Request) -> None:
        life, progress = self.lives[number], self.progress[number]
        self._begin(life.manager, number, operation)
        if progress.stage is Stage.ALIVE and operation is Request.SETUP:
            progress = progress._replace(repeats=progress.repeats - 1)
        else:
            stages = (Stage.SETTING, Stage.CLEARING, Stage.KILLING)
            progress = progress._replace(stage=stages[operation])
        self.progress[number] = progress
        if operation is Request.KILL:
            self.killed |= {number}

    def _meddle(self, meddling: Meddling) -> None:
        self.meddlings = tuple(other for other in self.meddlings if other != meddling)
        self._begin(meddling.manager, meddling.life, meddling.operation)

    def _begin(self, manager: int, number: int, operation: Request) -> None:
        count = len(self.lives[number].switches)
        self.commands[manager, number] = Command.begin(number, operation, count, self.rules)

    # Requests and replies.

    def _ask(self, manager: int, number: int) -> None:
        command, life = self.commands[manager, number], self.lives[number]
        entry = command.next
        assert entry is not None
        switch, image = life.switches[entry]
        fire = entry == len(life.switches) - 1
        packet = Packet(command.operation, manager, entry, image, fire, number)
        self.commands[manager, number] = command.sent(entry)
        self.requests[manager, switch] = (*self.requests.get((manager, switch), ()), packet)
        self.packets += 1

    def _repeat(self, manager: int, number: int, entry: int) -> None:
        progress = self.progress[number]
        self.progress[number] = progress._replace(repeats=progress.repeats - 1)
        self.commands[manager, number] = self.commands[manager, number].again(entry)

    def _serve(self, manager: int, switch: int) -> None:
        packet, *rest = self.requests.pop((manager, switch))
        if rest:
            self.requests[manager, switch] = tuple(rest)
        if (switch, manager) in self.slots:
            return
        gid = packet.image.gid
        found = self.entries.get((switch, gid))
        full = not self._room(switch)
        code, entry = serve(packet, found, full=full, rules=self.rules)
        taken = entry is not found or (packet.operation is Request.SETUP and code is Answer.OK)
        if found is not None and taken:
            owner = found.life, found.image.manager
            if owner != (packet.life, manager):
                raise Violation(f"{packet} touched the entry of life {found.life} at {switch}")
        if entry is not None:
            self.entries[switch, gid] = entry
        elif found is not None:
            del self.entries[switch, gid]
        self.answers[code] += 1
        self.slots[switch, manager] = Reply(code, packet.entry, gid, packet.life)

    def _answer(self, seat: Seat, manager: int) -> None:
        self._tell(seat, manager, self.slots.pop((seat, manager)))

    def _tell(self, seat: Seat, manager: int, reply: Reply) -> None:
        self.replies[seat, manager] = (*self.replies.get((seat, manager), ()), reply)
        self.packets += 1

    def _may_tell(self, seat: Seat, entry: Entry) -> bool:
        """A switch tells FREED by itself; a node that turns barriers around, by its process."""
        apart = self.rules.freed_apart or not isinstance(seat, int)
        return apart or (seat, entry.image.manager) not in self.slots

    def _free(self, seat: Seat, gid: int) -> None:
        entry = self.entries[seat, gid]
        self.entries[seat, gid] = entry._replace(freed=False)
        reply = Reply(Answer.FREED, 0, gid, entry.life)
        if self.rules.freed_apart or not isinstance(seat, int):
            self._tell(seat, entry.image.manager, reply)
        else:
            self.slots[seat, entry.image.manager] = reply

    def _reply(self, seat: Seat, manager: int) -> None:
        reply, *rest = self.replies.pop((seat, manager))
        if rest:
            self.replies[seat, manager] = tuple(rest)
        if reply.code is Answer.FREED:
            self._freed(seat, manager, reply)
            return
        command = self.commands[manager, reply.life].answered(reply.entry, reply.code, self.rules)
        if not command.over:
            self.commands[manager, reply.life] = command
            return
        del self.commands[manager, reply.life]
        if manager == self.lives[reply.life].manager:
            self._finished(reply.life, command)

    def _freed(self, seat: Seat, manager: int, reply: Reply) -> None:
        """Note that a group is through; FREED names the GID alone, but a process the life too."""
        for number, progress in self.progress.items():
            life = self.lives[number]
            early = progress.stage is Stage.SETTING and self.rules.hold_free
            if (life.manager, life.gid) != (manager, reply.gid):
                continue
            if progress.stage is not Stage.ALIVE and not early:
                continue
            if number != reply.life and isinstance(seat, int):
                raise Violation(f"FREED of life {reply.life} taken for that of life {number}")
            if number == reply.life:
                self.progress[number] = progress._replace(freed=True)

    def _finished(self, number: int, command: Command) -> None:
        """Note how a command of a life's own manager ended."""
        # What KILL finds in another's hands had died before, told by the switch above.
        refused = command.refusal is not None and command.operation is not Request.KILL
        progress = self.progress[number]
        if refused and progress.stage is Stage.CLEARING:
            raise Violation(f"life {number} cannot be cleared: {command.refusal}")
        self.progress[number] = progress.commanded(refused=refused)
