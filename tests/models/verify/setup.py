"""The set-up protocol: what can happen in a network whose managers set groups up and end them."""

from collections.abc import Hashable
from typing import Any, Self

from tests.models.verify.explorer import Event, Violation
from tests.models.verify.scenario import ATTEMPTS, BROKEN, Code, Image, Operation, Request
from tests.models.verify.software import OVER, Software


class SetUp(Software):
    """State of a network of which the explorer visits all.

    Parameters
    ----------
    scenario : Scenario
        What happens.
    """

    def copy(self) -> Self:
        """Return an independent copy; what is measured is shared."""
        twin = object.__new__(type(self))
        for name, value in self.__dict__.items():
            twin.__dict__[name] = value.copy() if type(value) is list else value
        return twin

    def key(self) -> tuple[Hashable, ...]:
        """Return the parts of the state."""
        return tuple(
            tuple(value) if type(value) is list else value
            for name, value in self.__dict__.items()
            if name not in ("scenario", "most")
        )

    def events(self) -> list[Event]:
        """Return all that can happen."""
        scenario, n, entries = self.scenario, self.scenario.routers, self.scenario.entries
        found: list[Event] = []
        for k, messages in enumerate(self.links):
            if messages:
                found.append(("serve", k // entries // n, k // entries % n, k % entries))
                if scenario.drops and messages[0].kind == BROKEN:
                    found.append(("drop", k))
        for k, messages in enumerate(self.down):
            if messages:
                found.append(("release", k // entries, k % entries))
        for k, messages in enumerate(self.up):
            if messages:
                found.append(("serve own", k // entries, k % entries))
        for k, register in enumerate(self.nodes):
            if self.may_arrive(register):
                found.append(("arrive", k // entries, k % entries))
        losses, _, breaks, meddles = self.left
        for k, requests in enumerate(self.requests):
            if requests and self.may_serve(k % n, requests[0]):
                found.append(("obey", k // n, k % n))
        found += [("reply", k // n, k % n) for k, some in enumerate(self.replies) if some]
        found += [("freed", k // n, k % n) for k, some in enumerate(self.freed) if some]
        for name in ("requests", "replies", "freed") if losses else ():
            found += [("lose", name, k) for k, some in enumerate(getattr(self, name)) if some]
        for k, entry in enumerate(self.entries):
            if entry.alive and (breaks or self.is_watched(entry)):
                found.append(("break", k // entries, k % entries))
            if meddles and scenario.owner(k % entries) != len(self.managers) - 1:
                found += [("meddle", k // entries, k % entries, op) for op in (0, 2)]
        for manager in range(len(self.managers)):
            found += self.software_events(manager)
        return found

    def persistent(self) -> Event | None:
        """Return an event that nothing prevents, and that commutes with all that may precede it.

        - A message that is older than its entry changes nothing, now or later: an epoch comes
          again only after ``under_way`` set-ups, and while it is on its way there are fewer.
        - A reply of an aborted command, and FREED of a former instance, are ignored.

        And while nothing more can be lost or aborted:

        - A reply: a manager that awaits it does nothing else, FREED comes to the same before and
          after it. Of several refusals only the first counts, so two of them are no such event.
        - KILL of an entry that is not alive: no message changes it before or after.
        - SETUP, but not START, of an entry that is not alive, for a command of which nothing was
          lost, of a group that nothing has broken or can break: its routers send nothing before.

        All of this needs the rules that keep old and new messages apart; without them only replies
        and FREED are persistent. Every chain ends: each event takes a packet or a message away,
        and makes no router send a message.
        """
        scenario, rules = self.scenario, self.scenario.rules
        n, entries = scenario.routers, scenario.entries
        apart = (
            rules.awaits and rules.root_last and rules.kill_sets and rules.epochs >= rules.under_way
        )
        if apart:
            for k, messages in enumerate(self.links):
                if messages:
                    j, x = k // entries % n, k % entries
                    entry = self.entries[j * entries + x]
                    if messages[0].epoch < entry.epoch + (not entry.alive):
                        return "serve", k // entries // n, j, x
        calm = not self.left[0] and not self.left[1]
        for k, replies in enumerate(self.replies):
            if not replies or replies[0].code == Code.FREED:
                continue
            now = self.managers[k // n]
            if not now.awaited or replies[0].tag != now.tag:
                return "reply", k // n, k % n
            if calm and (replies[0].code == Code.OK or now.awaited == 1 or now.refusal):
                return "reply", k // n, k % n
        for k, freed in enumerate(self.freed):
            if freed and rules.freed_epoch and self.is_former(k // n, freed[0]):
                return "freed", k // n, k % n
        if not (calm and apart):
            return None
        for k, requests in enumerate(self.requests):
            if requests and self._may_accept(k // n, k % n, requests[0]):
                return "obey", k // n, k % n
        return None

    def apply(self, event: Event) -> None:
        """Let an event happen."""
        what, *at = event
        name = what.replace(" ", "_")
        getattr(self, name if name in ("arrive", "obey", "software") else "_" + name)(*at)

    # What the events do; those of processes, sinks and software are their own.

    def _first(self, name: str, k: int) -> Any:
        """Take the first of what is under way."""
        channels = getattr(self, name)
        first, *rest = channels[k]
        channels[k] = tuple(rest)
        return first

    def _serve(self, i: int, j: int, x: int) -> None:
        message = self._first("links", self.at(i * self.scenario.routers + j, x))
        self.take(j, x, 1 << i, message)

    def _serve_own(self, i: int, x: int) -> None:
        self.take(i, x, 1 << self.scenario.routers, self._first("up", self.at(i, x)))

    def _release(self, i: int, x: int) -> None:
        self.release(i, x, self._first("down", self.at(i, x)))

    def _drop(self, k: int) -> None:
        self._first("links", k)

    def _lose(self, name: str, k: int) -> None:
        self.left[0] -= 1
        self._first(name, k)

    def _break(self, i: int, x: int) -> None:
        entry = self.entries[self.at(i, x)]
        if not self.is_watched(entry):
            self.left[2] -= 1
        self.spoiled |= 1 << entry.instance // ATTEMPTS
        self.end(i, x)

    def _freed(self, manager: int, i: int) -> None:
        self._reply(manager, i, "freed")

    def _reply(self, manager: int, i: int, channels: str = "replies") -> None:
        reply = self._first(channels, manager * self.scenario.routers + i)
        (self.take_freed if reply.code == Code.FREED else self.take_reply)(manager, i, reply)

    def _meddle(self, i: int, x: int, operation: int) -> None:
        self.left[3] -= 1
        epoch = self.entries[self.at(i, x)].epoch
        request = Request(Operation(operation), 0, x, epoch, -1, Image(0, 0, ()))
        self.requests[(len(self.managers) - 1) * self.scenario.routers + i] += (request,)

    def check_end(self) -> None:
        """Check that all groups are over, and that nothing is left of them."""
        if any(manager.phase != OVER for manager in self.managers):
            raise Violation("a manager waits forever")
        if any(entry.alive for entry in self.entries):
            raise Violation("an entry stays alive")
        for number, group in enumerate(self.scenario.groups):
            done = all(self.finished[member] >> number & 1 for member in group.members)
            if not done and not self.spoiled >> number & 1:
                raise Violation("a group that was not killed did not end by LAST")
        if any(register.ready or register.arrived for register in self.nodes):
            raise Violation("a process waits forever")

    def _may_accept(self, manager: int, router: int, request: Request) -> bool:
        entry = self.entries[router * self.scenario.entries + request.entry]
        if entry.alive or not self.may_serve(router, request):
            return False
        if request.operation == Operation.KILL:
            return True
        if request.operation != Operation.SETUP or request.instance < 0:
            return False
        broken = self.left[2] or self.spoiled >> request.instance // ATTEMPTS & 1
        runs = request.tag == self.managers[manager].tag and self.is_under_way(manager)
        return runs and not broken
