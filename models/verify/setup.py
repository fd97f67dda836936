"""The set-up protocol: the state of a network, and what can happen in it.

Every message, request and reply takes as long as it likes. Messages keep their order on a directed
link as far as they are for one entry: entries do not depend on each other, so no order of messages
for two of them means anything. Requests and replies keep their order between a manager and a
router, FREED keeps it among its like. Epochs are counted without end and compared modulo
``rules.epochs``.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Self

from syncfabric.models.verify import node, router, sink, software
from syncfabric.models.verify.entry import BROKEN, DEAD, Image, Message
from syncfabric.models.verify.explorer import Event, Violation
from syncfabric.models.verify.manager import START, is_under_way
from syncfabric.models.verify.node import IDLE, Node
from syncfabric.models.verify.packets import Code, Operation, Reply, Request
from syncfabric.models.verify.scenario import ATTEMPTS, Scenario

__all__ = ["SetUp", "at_once"]


class SetUp:
    """State of a network whose managers set groups up and end them.

    Parameters
    ----------
    scenario : Scenario
        What happens.

    Attributes
    ----------
    entries, nodes : list
        Of router i and entry x at ``i * entries + x``.
    links : list[tuple[Message, ...]]
        Messages from router i to entry x of router j at ``(i * routers + j) * entries + x``.
    down, up : list[tuple[Message, ...]]
        Messages to and from node interfaces, as ``entries``.
    requests, replies, freed : list[tuple]
        Of manager m and router i at ``m * routers + i``.
    most : dict[str, int]
        What was measured, over all copies: messages of former instances on a link at most, and 1
        for each code that was answered.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        n, entries, managers = scenario.routers, scenario.entries, len(scenario.managers)
        self.entries = [
            DEAD._replace(epoch=epoch) for epoch in scenario.epochs or (0,) * n * entries
        ]
        self.nodes: list[Node] = [IDLE] * (n * entries)
        self.links: list[tuple[Message, ...]] = [()] * (n * n * entries)
        self.down: list[tuple[Message, ...]] = [()] * (n * entries)
        self.up: list[tuple[Message, ...]] = [()] * (n * entries)
        self.requests: list[tuple[Request, ...]] = [()] * (managers * n)
        self.replies: list[tuple[Reply, ...]] = [()] * (managers * n)
        self.freed: list[tuple[Reply, ...]] = [()] * (managers * n)
        self.joined, self.finished = [0] * n, [0] * n
        self.spoiled = 0
        self.left = [scenario.losses, scenario.aborts, scenario.breaks, scenario.meddles]
        self.managers = [START] * managers
        self.most: dict[str, int] = {"left over": 0}
        for manager in range(managers):
            software.next_group(self, manager, 0)

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
            if node.may_arrive(self, register):
                found.append(("arrive", k // entries, k % entries))
        losses, _, breaks, meddles = self.left
        for k, requests in enumerate(self.requests):
            if requests:
                if sink.may_serve(self, k % n, requests[0]):
                    found.append(("sink", k // n, k % n))
                if losses:
                    found.append(("lose request", k // n, k % n))
        for k, replies in enumerate(self.replies):
            if replies:
                found.append(("reply", k // n, k % n))
                if losses:
                    found.append(("lose reply", k // n, k % n))
        for k, replies in enumerate(self.freed):
            if replies:
                found.append(("freed", k // n, k % n))
                if losses:
                    found.append(("lose freed", k // n, k % n))
        for k, entry in enumerate(self.entries):
            if entry.alive and (breaks or router.is_watched(self, entry)):
                found.append(("break", k // entries, k % entries))
            if meddles and scenario.owner(k % entries) != len(self.managers) - 1:
                found += [("meddle", k // entries, k % entries, op) for op in (0, 2)]
        for manager in range(len(self.managers)):
            found += software.events(self, manager)
        return found

    def at_once(self) -> Event | None:
        """Return what may as well happen now."""
        return at_once(self)

    def apply(self, event: Event) -> None:
        """Let an event happen."""
        name, *at = event
        getattr(self, "_" + name.replace(" ", "_"))(*at)

    # Routers and nodes

    def _serve(self, i: int, j: int, x: int) -> None:
        k = (i * self.scenario.routers + j) * self.scenario.entries + x
        message, *rest = self.links[k]
        self.links[k] = tuple(rest)
        router.take(self, j, x, 1 << i, message)

    def _drop(self, k: int) -> None:
        self.links[k] = self.links[k][1:]

    def _serve_own(self, i: int, x: int) -> None:
        k = i * self.scenario.entries + x
        message, *rest = self.up[k]
        self.up[k] = tuple(rest)
        router.take(self, i, x, 1 << self.scenario.routers, message)

    def _release(self, i: int, x: int) -> None:
        k = i * self.scenario.entries + x
        message, *rest = self.down[k]
        self.down[k] = tuple(rest)
        node.take(self, i, x, message)

    def _arrive(self, i: int, x: int) -> None:
        router.arrive(self, i, x)

    def _break(self, i: int, x: int) -> None:
        entry = self.entries[i * self.scenario.entries + x]
        if not router.is_watched(self, entry):
            self.left[2] -= 1
        self.spoiled |= 1 << entry.instance // ATTEMPTS
        router.end(self, i, x)

    def _sink(self, manager: int, i: int) -> None:
        sink.serve(self, manager, i)

    # Packets and managers

    def _reply(self, manager: int, i: int) -> None:
        reply = self._take(self.replies, manager, i)
        take = software.take_freed if reply.code == Code.FREED else software.take_reply
        take(self, manager, i, reply)

    def _freed(self, manager: int, i: int) -> None:
        reply = self._take(self.freed, manager, i)
        software.take_freed(self, manager, i, reply)

    def _lose_reply(self, manager: int, i: int) -> None:
        self.left[0] -= 1
        self._take(self.replies, manager, i)

    def _lose_freed(self, manager: int, i: int) -> None:
        self.left[0] -= 1
        self._take(self.freed, manager, i)

    def _lose_request(self, manager: int, i: int) -> None:
        self.left[0] -= 1
        k = manager * self.scenario.routers + i
        self.requests[k] = self.requests[k][1:]

    def _take(self, channels: list[tuple[Reply, ...]], manager: int, i: int) -> Reply:
        k = manager * self.scenario.routers + i
        reply, *rest = channels[k]
        channels[k] = tuple(rest)
        return reply

    def _meddle(self, i: int, x: int, operation: int) -> None:
        self.left[3] -= 1
        epoch = self.entries[i * self.scenario.entries + x].epoch
        request = Request(Operation(operation), 0, x, epoch, -1, Image(0, 0, ()))
        self.requests[(len(self.managers) - 1) * self.scenario.routers + i] += (request,)

    def _software(self, manager: int, what: str, how: str = "", cut: int = 0) -> None:
        software.act(self, manager, what, how, cut)

    # Ends

    def check_end(self) -> None:
        """Check that all groups are over, and that nothing is left of them."""
        if any(not software.is_over(self, manager) for manager in range(len(self.managers))):
            raise Violation("a manager waits forever")
        if any(entry.alive for entry in self.entries):
            raise Violation("an entry stays alive")
        for number, group in enumerate(self.scenario.groups):
            done = all(self.finished[member] >> number & 1 for member in group.members)
            if not done and not self.spoiled >> number & 1:
                raise Violation("a group that was not killed did not end by LAST")
        if any(register.ready or register.arrived for register in self.nodes):
            raise Violation("a process waits forever")


if TYPE_CHECKING:
    from syncfabric.models.verify.explorer import Event
    from syncfabric.models.verify.setup import SetUp


def at_once(world: SetUp) -> Event | None:
    """Return an event that nothing prevents, and that commutes with all that may come before it.

    - A message that is older than its entry changes nothing, now or later: an epoch comes again
      only after ``under_way`` set-ups, and while it is on its way there are fewer.
    - A reply of an aborted command, and FREED of a former instance, are ignored.

    And while nothing more can be lost or aborted:

    - A reply: a manager that awaits it does nothing else, FREED comes to the same before and after
      it, and of several refusals only the first counts, so two of them are no such event.
    - KILL of an entry that is not alive: no message changes it before or after.
    - SETUP, but not START, of an entry that is not alive, for a command of which nothing was lost,
      of a group that nothing has broken or can break: its routers send nothing before its START.

    All of this needs the rules that keep old and new messages apart; without them only replies and
    FREED happen at once. Every chain ends: each event takes a packet or a message away, and makes
    no router send a message.
    """
    scenario, rules = world.scenario, world.scenario.rules
    n, entries = scenario.routers, scenario.entries
    apart = rules.awaits and rules.root_last and rules.kill_sets and rules.epochs >= rules.under_way
    if apart:
        for k, messages in enumerate(world.links):
            if messages:
                j, x = k // entries % n, k % entries
                entry = world.entries[j * entries + x]
                if messages[0].epoch < entry.epoch + (not entry.alive):
                    return "serve", k // entries // n, j, x
    calm = not world.left[0] and not world.left[1]
    for k, replies in enumerate(world.replies):
        if not replies or replies[0].code == Code.FREED:
            continue
        now = world.managers[k // n]
        if not now.awaited or replies[0].tag != now.tag:
            return "reply", k // n, k % n
        if calm and (replies[0].code == Code.OK or now.awaited == 1 or now.refusal):
            return "reply", k // n, k % n
    for k, freed in enumerate(world.freed):
        if freed and rules.freed_epoch and software.is_former(world, k // n, freed[0]):
            return "freed", k // n, k % n
    if not (calm and apart):
        return None
    for k, requests in enumerate(world.requests):
        if requests and _may_be_served(world, k // n, k % n, requests[0]):
            return "sink", k // n, k % n
    return None


def _may_be_served(world: SetUp, manager: int, router: int, request: Request) -> bool:
    entry = world.entries[router * world.scenario.entries + request.entry]
    if entry.alive or not sink.may_serve(world, router, request):
        return False
    if request.operation == Operation.KILL:
        return True
    if request.operation != Operation.SETUP or request.instance < 0:
        return False
    broken = world.left[2] or world.spoiled >> request.instance // ATTEMPTS & 1
    runs = request.tag == world.managers[manager].tag and is_under_way(world, manager)
    return runs and not broken
