"""Managers and their software (networks N5, setup.md): requests, and what is done after replies.

Software reads of the replies what STATUS shows: the first refusal.
"""

from typing import NamedTuple

from tests.models.verify.explorer import Event, Violation
from tests.models.verify.network import Network
from tests.models.verify.scenario import (
    ATTEMPTS,
    Code,
    Group,
    Image,
    Operation,
    Reply,
    Request,
    Scenario,
)

SETUP, RUN, KILL, OVER = range(4)


class Manager(NamedTuple):
    """What a manager and its software know.

    Attributes
    ----------
    place, attempt : int
        The group of the script, and how often it was set up anew.
    phase : int
        SETUP, KILL: a command runs; RUN: the group was started.
    epochs : tuple[int, ...]
        Believed epochs of all entries before the command.
    part, awaited : int
        The part of SETUP that runs; replies that are awaited.
    refusal : tuple[int, ...]
        Code, router and epoch of the first refusal.
    tag : int
        Changes with ABORT.
    again : int
        The command is given again after ABORT.
    freed : int
        FREED came before START's OK.
    rebuild : int
        After KILL the same group is set up again.
    """

    place: int = 0
    attempt: int = 0
    phase: int = OVER
    epochs: tuple[int, ...] = ()
    part: int = 0
    awaited: int = 0
    refusal: tuple[int, ...] = ()
    tag: int = 0
    again: int = 0
    freed: int = 0
    rebuild: int = 0


START = Manager()


class Software(Network):
    """State of a network, and of managers that set groups up and end them.

    Attributes
    ----------
    left : list[int]
        Losses, aborts, breaks and requests of a stranger that may still be.
    managers : list[Manager]
    """

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(scenario)
        self.left = [scenario.losses, scenario.aborts, scenario.breaks, scenario.meddles]
        self.managers = [START] * len(scenario.managers)
        for manager in range(len(self.managers)):
            self.next_group(manager, 0)

    def number_of(self, manager: int) -> int:
        """Return the number of the manager's group."""
        return self.scenario.managers[manager][self.managers[manager].place]

    def group_of(self, manager: int) -> Group:
        """Return the manager's group."""
        return self.scenario.groups[self.number_of(manager)]

    def instance_of(self, manager: int) -> int:
        """Return the number of the instance that the manager sets up, runs or kills."""
        return self.number_of(manager) * ATTEMPTS + self.managers[manager].attempt

    def believe(self, now: Manager, router: int, entry: int, epoch: int) -> Manager:
        """Return a manager that believes an entry to have an epoch."""
        epochs = list(now.epochs)
        epochs[self.at(router, entry)] = epoch
        return now._replace(epochs=tuple(epochs))

    def assume_done(self, manager: int, now: Manager) -> Manager:
        """Return what software knows if all SETUPs of a command were obeyed."""
        group = self.group_of(manager)
        for router in group.routers:
            x = group.entry(router)
            now = self.believe(now, router, x, now.epochs[self.at(router, x)] + 1)
        return now

    def _part(self, manager: int) -> tuple[int, ...]:
        """Return the routers to which the part of the command that runs is sent."""
        now, rules = self.managers[manager], self.scenario.rules
        routers = self.group_of(manager).routers
        if now.phase == KILL or not rules.awaits:
            return routers
        others, root = routers[:-1], routers[-1:]
        return (others, root)[now.part] if rules.root_last else (root, others)[now.part]

    def send(self, manager: int) -> None:
        """Send the requests of a part, or of the next one if it has none."""
        now, group = self.managers[manager], self.group_of(manager)
        part = self._part(manager)
        if not part:
            self.managers[manager] = now._replace(part=1)
            part = self._part(manager)
        epochs = {router: now.epochs[self.at(router, group.entry(router))] for router in group.tree}
        after = {router: epoch + 1 for router, epoch in epochs.items()}
        for router in part:
            image = Image(0, 0, ())
            if now.phase == KILL:
                operation = Operation.KILL
            else:
                operation = Operation.START if router == group.root else Operation.SETUP
                image = group.image(router, self.scenario.routers, after)
            self.requests[manager * self.scenario.routers + router] += (
                Request(
                    operation,
                    now.tag,
                    group.entry(router),
                    epochs[router],
                    self.instance_of(manager),
                    image,
                ),
            )
        self.managers[manager] = self.managers[manager]._replace(awaited=len(part), refusal=())

    def _under_way(self, manager: int, tag: int) -> int:
        """Return how many requests and replies of a tag are under way."""
        n = self.scenario.routers
        return sum(
            packet.tag == tag
            for channels in (self.requests, self.replies)
            for packets in channels[manager * n : manager * n + n]
            for packet in packets
        )

    def is_under_way(self, manager: int) -> bool:
        """Return whether all that the command awaits is on its way."""
        now = self.managers[manager]
        return self._under_way(manager, now.tag) >= now.awaited

    def may_abort(self, manager: int) -> bool:
        """Return whether the next tag is free, as is assumed."""
        tags, tag = self.scenario.rules.tags, self.managers[manager].tag
        return tags == 1 or not self._under_way(manager, (tag + 1) % tags)

    def unserved(self, manager: int) -> int:
        """Return how many of the last requests have not been served: ABORT may have been before."""
        now, n = self.managers[manager], self.scenario.routers
        count = 0
        for router in reversed(self._part(manager)):
            requests = self.requests[manager * n + router]
            if (
                not requests
                or requests[-1].tag != now.tag
                or requests[-1].operation == Operation.GO
            ):
                break
            count += 1
        return count

    def withdraw(self, manager: int, count: int) -> None:
        """Take back the last requests of a part, which ABORT kept from being sent."""
        part = self._part(manager)
        for router in part[len(part) - count :]:
            k = manager * self.scenario.routers + router
            self.requests[k] = self.requests[k][:-1]

    def next_group(self, manager: int, place: int) -> None:
        """Set the next group of a script up, if there is one."""
        script = self.scenario.managers[manager]
        now = self.managers[manager]._replace(
            place=place, attempt=0, phase=SETUP, part=0, refusal=(), again=0, freed=0, rebuild=0
        )
        if not now.epochs:
            now = now._replace(epochs=(0,) * len(self.entries))
        if place == len(script):
            self.managers[manager] = now._replace(phase=OVER)
            return
        if self.scenario.epochs and place == 0:
            # KILL makes the epochs of entries that are not alive known.
            now = now._replace(phase=KILL, rebuild=1)
        self.managers[manager] = now
        self.send(manager)

    def take_reply(self, manager: int, router: int, reply: Reply) -> None:
        """Take a reply (N5.8)."""
        now = self.managers[manager]
        if not now.awaited or reply.tag != now.tag:
            return
        now = now._replace(awaited=now.awaited - 1)
        if reply.code != Code.OK and not now.refusal:
            now = now._replace(refusal=(reply.code, router, reply.epoch))
        self.managers[manager] = now
        if not now.awaited:
            self._end_part(manager)

    def take_freed(self, manager: int, router: int, freed: Reply) -> None:
        """Believe FREED if it is of the root of the group that is set up or runs."""
        now, rules = self.managers[manager], self.scenario.rules
        if now.phase not in (SETUP, RUN):
            return
        group, instance = self.group_of(manager), self.instance_of(manager)
        epoch = now.epochs[self.at(router, freed.entry)] + (now.phase == SETUP)
        if router != group.root or freed.entry != group.entry(router):
            return
        if rules.freed_epoch and (freed.epoch - epoch) % rules.epochs:
            return
        if freed.instance != instance:
            raise Violation("FREED of another instance is believed")
        if now.phase == RUN:
            self.next_group(manager, now.place + 1)
        else:
            self.managers[manager] = now._replace(freed=1)

    def is_former(self, manager: int, freed: Reply) -> bool:
        """Return whether FREED is of a former group of its entry, or of none that is awaited."""
        now = self.managers[manager]
        return now.phase in (KILL, OVER) or freed.instance != self.instance_of(manager)

    def software_events(self, manager: int) -> list[Event]:
        """Return what software may do of itself."""
        now = self.managers[manager]
        if now.phase == RUN:
            return [("software", manager, "kill")] if self._may_kill(manager) else []
        if now.phase == SETUP and now.refusal and not now.awaited:
            return [("software", manager, "again"), ("software", manager, "give up")]
        if not now.awaited or not self.may_abort(manager):
            return []
        how = ["same", "kill"] if now.phase == SETUP else ["same"]
        if now.phase == SETUP and not self.scenario.rules.kills_before_reuse:
            how.append("other")
        if not self.is_under_way(manager):
            return [("software", manager, "abort", choice, 0) for choice in how]
        if not self.left[1]:
            return []
        cuts = range(self.unserved(manager) + 1)
        return [("software", manager, "abort", choice, cut) for choice in how for cut in cuts]

    def software(self, manager: int, what: str, how: str = "", cut: int = 0) -> None:
        """Let software do what ``software_events`` offered."""
        now = self.managers[manager]
        if what == "again":
            self._again(manager)
            return
        if what in ("kill", "give up"):
            self.spoiled |= 1 << self.number_of(manager)
            now = self.assume_done(manager, now) if what == "give up" else now
            self.managers[manager] = now._replace(phase=KILL)
            self.send(manager)
            return
        if self.is_under_way(manager):
            self.left[1] -= 1
        self.withdraw(manager, cut)
        now = now._replace(
            tag=(now.tag + 1) % self.scenario.rules.tags, awaited=0, refusal=(), part=0, again=1
        )
        if how == "kill":
            self.spoiled |= 1 << self.number_of(manager)
            now = self.assume_done(manager, now)._replace(phase=KILL)
        self.managers[manager] = now
        if how == "other":
            self.spoiled |= 1 << self.number_of(manager)
            self.next_group(manager, now.place + 1)
        else:
            self.send(manager)

    def _end_part(self, manager: int) -> None:
        """Go on after the last reply of a part."""
        now, rules = self.managers[manager], self.scenario.rules
        if now.phase == KILL:
            self._end_kill(manager)
        elif now.refusal:
            self._refused(manager)
        elif now.part == 0 and rules.awaits:
            self.managers[manager] = now._replace(part=1)
            self.send(manager)
        else:
            self._done(manager)

    def _done(self, manager: int) -> None:
        now, group = self.managers[manager], self.group_of(manager)
        instance = self.instance_of(manager)
        for router in group.routers:
            k = self.at(router, group.entry(router))
            entry = self.entries[k]
            if entry.epoch != now.epochs[k] + 1 or (entry.alive and entry.instance != instance):
                raise Violation("SETUP is done, but not at all routers")
        self._started(manager)

    def _started(self, manager: int) -> None:
        now = self.managers[manager]
        done = self.assume_done(manager, now)
        self.managers[manager] = done._replace(phase=RUN, freed=0, again=0, part=0)
        if now.freed:
            self.next_group(manager, now.place + 1)

    def _again(self, manager: int) -> None:
        """Give the same SETUP again."""
        self.managers[manager] = self.managers[manager]._replace(part=0)
        self.send(manager)

    def _refused(self, manager: int) -> None:
        now, rules = self.managers[manager], self.scenario.rules
        code, router, epoch = now.refusal
        if code == Code.BUSY and rules.again:
            if not self.group_of(manager).kill:
                self._again(manager)
        elif code == Code.ENDED and now.again:
            self._started(manager)
        else:
            # KILL with the epochs that SETUP would have made; then the group is set up anew.
            if code in (Code.EPOCH, Code.ENDED):
                now = self.believe(now, router, self.group_of(manager).entry(router), epoch)
            now = self.assume_done(manager, now)
            self.managers[manager] = now._replace(phase=KILL, rebuild=1, part=0, freed=0)
            self.send(manager)

    def _end_kill(self, manager: int) -> None:
        now, group = self.managers[manager], self.group_of(manager)
        if now.refusal:
            self.send(manager)
            return
        for router in group.routers:
            entry = self.entries[self.at(router, group.entry(router))]
            if entry.alive and entry.instance // ATTEMPTS == self.number_of(manager):
                raise Violation("KILL is done, but an entry is alive")
        if not now.rebuild:
            self.next_group(manager, now.place + 1)
        elif now.attempt + 1 == ATTEMPTS:
            raise Violation("a group is set up again and again")
        else:
            self.managers[manager] = now._replace(
                attempt=now.attempt + 1, phase=SETUP, rebuild=0, again=0
            )
            self.send(manager)

    def _may_kill(self, manager: int) -> bool:
        """Return whether software has a reason to kill a group that runs.

        It wants to; or a process has reported that it is broken; or it has waited for too long for
        FREED, which was lost.
        """
        group, n = self.group_of(manager), self.scenario.routers
        if group.kill or self.spoiled >> self.number_of(manager) & 1:
            return True
        root = self.entries[self.at(group.root, group.entry(group.root))]
        gone = not root.alive or root.instance != self.instance_of(manager)
        k = manager * n + group.root
        under_way = (*self.freed[k], *self.replies[k])
        lost = self.left[0] < self.scenario.losses
        return lost and gone and all(reply.code != Code.FREED for reply in under_way)
