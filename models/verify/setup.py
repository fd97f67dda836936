"""The set-up protocol: routers, links, node ports and sinks (engine E3 to E7, networks N3, N4).

Every message, request and reply takes as long as it likes. Messages keep their order on a directed
link as far as they are for one entry: entries do not depend on each other, so no order of messages
for two of them means anything. Requests and replies keep their order between a manager and a
router, FREED keeps it among its like. Epochs are counted without end and compared modulo
``rules.epochs``.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Self

from syncfabric.models.verify import software
from syncfabric.models.verify.at_once import at_once
from syncfabric.models.verify.entry import (
    BROKEN,
    DEAD,
    GO,
    LAST,
    PLAIN,
    Entry,
    Image,
    Message,
    kill,
    serve,
)
from syncfabric.models.verify.explorer import Event, Violation
from syncfabric.models.verify.node import IDLE, Node
from syncfabric.models.verify.packets import Code, Operation, Reply, Request
from syncfabric.models.verify.scenario import ATTEMPTS, Scenario

__all__ = ["SetUp"]


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
        self.managers = [software.START] * managers
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
        for k, node in enumerate(self.nodes):
            if self._may_arrive(k, node):
                found.append(("arrive", k // entries, k % entries))
        losses, _, breaks, meddles = self.left
        for k, requests in enumerate(self.requests):
            if requests:
                if self.may_serve(k % n, requests[0]):
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
            if entry.alive and (breaks or self._is_watched(entry)):
                found.append(("break", k // entries, k % entries))
            if meddles and scenario.owner(k % entries) != len(self.managers) - 1:
                found += [("meddle", k // entries, k % entries, op) for op in (0, 2)]
        for manager in range(len(self.managers)):
            found += software.events(self, manager)
        return found

    def _is_watched(self, entry: Entry) -> bool:
        """Return whether an entry waits in vain: then its own watchdog ends it, too (E3.2, E8)."""
        waits = not entry.fresh or (entry.turn and entry.last and entry.image.parent)
        spoiled = self.spoiled >> entry.instance // ATTEMPTS & 1
        return bool(self.scenario.drops and waits and spoiled)

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
        self._at_entry(j, x, 1 << i, message)

    def _drop(self, k: int) -> None:
        self.links[k] = self.links[k][1:]

    def _serve_own(self, i: int, x: int) -> None:
        k = i * self.scenario.entries + x
        message, *rest = self.up[k]
        self.up[k] = tuple(rest)
        self._at_entry(i, x, 1 << self.scenario.routers, message)

    def _at_entry(self, i: int, x: int, port: int, message: Message) -> bool:
        """Serve a message at an entry; return whether it changed it."""
        k, rules = i * self.scenario.entries + x, self.scenario.rules
        entry = self.entries[k]
        fired = serve(
            entry, port, message, modulo=rules.epochs, whole=rules.whole, anded=rules.anded
        )
        if fired is None:
            return False
        self._fire(i, x, entry, *fired)
        return True

    def _fire(
        self, i: int, x: int, before: Entry, after: Entry, to: int, kind: int, data: int
    ) -> None:
        n, entries = self.scenario.routers, self.scenario.entries
        self.entries[i * entries + x] = after
        image = before.image
        for j in range(n):
            if to >> j & 1:
                entry, epoch = image.names[j]
                k = (i * n + j) * entries + entry
                self.links[k] += (Message(epoch, kind, data, before.instance),)
                self._measure(k)
        if to >> n & 1:
            message = Message(before.epoch, kind, data, before.instance)
            if self.scenario.linked:
                self.down[i * entries + x] += (message,)
            else:
                self._at_node(i, x, message)
        if kind == LAST and not after.alive and not image.parent:
            freed = Reply(Code.FREED, -1, x, before.epoch, before.instance)
            in_order = self.scenario.rules.freed_in_order
            channels = self.replies if in_order else self.freed
            channels[self.scenario.owner(x) * n + i] += (freed,)

    def _measure(self, k: int) -> None:
        """Check E12.1 on a link, and measure what former instances left there."""
        messages = [message for message in self.links[k] if message.kind != BROKEN]
        instances = [message.instance for message in messages]
        if len(set(instances)) < len(instances):
            raise Violation("two messages of one instance are unmerged on a link")
        self.most["left over"] = max(self.most["left over"], len(instances) - 1)

    def _release(self, i: int, x: int) -> None:
        k = i * self.scenario.entries + x
        message, *rest = self.down[k]
        self.down[k] = tuple(rest)
        self._at_node(i, x, message)

    def _at_node(self, i: int, x: int, message: Message) -> None:
        k, group = i * self.scenario.entries + x, self.scenario.group(message.instance)
        bit = 1 << message.instance // ATTEMPTS
        node = self.nodes[k]
        if message.kind == GO:
            if self.joined[i] & bit:
                raise Violation("a group is started a second time")
            self.joined[i] |= bit
            if node.ready or node.instance == message.instance:
                raise Violation("a process sees GO twice")
            self.nodes[k] = Node(1, node.arrived, message.epoch, message.instance, 0)
        elif message.kind == BROKEN:
            if node.instance == message.instance and not node.ready:
                raise Violation("a process is released after its group has ended")
            self.nodes[k] = Node(0, 0, message.epoch, message.instance, 0)
        else:
            if not node.arrived or node.instance != message.instance:
                raise Violation("a process is released that has not arrived")
            if message.data != group.arrivals(node.episode):
                raise Violation("a process is released early, or with wrong data")
            if (message.kind == LAST) != (node.episode == group.barriers):
                raise Violation("a group ends though a member did not say LAST")
            self.nodes[k] = node._replace(arrived=0)
            if message.kind == LAST:
                self.finished[i] |= bit
                self.nodes[k] = Node(0, 0, message.epoch, message.instance, 0)

    def _may_arrive(self, k: int, node: Node) -> bool:
        if node.ready:
            return not node.arrived and node.episode < self.scenario.group(node.instance).barriers
        # A hasty process arrives for the first group of its entry before it is ready.
        return not self.scenario.rules.ready and node == IDLE

    def _arrive(self, i: int, x: int) -> None:
        k = i * self.scenario.entries + x
        node = self.nodes[k]
        if not node.ready:
            self.nodes[k] = node._replace(arrived=1)
            return
        group, episode = self.scenario.group(node.instance), node.episode + 1
        self.nodes[k] = node._replace(arrived=1, episode=episode)
        kind = LAST if group.says_last(i, episode) else PLAIN
        message = Message(node.epoch, kind, group.arrival(i, episode), node.instance)
        if self.scenario.linked:
            self.up[k] += (message,)
        else:
            self._at_entry(i, x, 1 << self.scenario.routers, message)

    def _break(self, i: int, x: int) -> None:
        entry = self.entries[i * self.scenario.entries + x]
        if not self._is_watched(entry):
            self.left[2] -= 1
        self.spoiled |= 1 << entry.instance // ATTEMPTS
        self._kill(i, x)

    def _kill(self, i: int, x: int) -> None:
        entry = self.entries[i * self.scenario.entries + x]
        self._fire(i, x, entry, *kill(entry))

    # Sinks

    def may_serve(self, i: int, request: Request) -> bool:
        """Return whether the assumption on messages under way lets a request be served."""
        scenario, x = self.scenario, request.entry
        n, entries = scenario.routers, scenario.entries
        k = i * entries + x
        if request.operation == Operation.KILL or self.entries[k].alive:
            return True
        oldest = self.entries[k].epoch + 1 - scenario.rules.under_way
        return not (
            any(m.epoch <= oldest for j in range(n) for m in self.links[(j * n + i) * entries + x])
            or any(m.epoch <= oldest for m in (*self.down[k], *self.up[k]))
            or any(
                freed.entry == x and freed.epoch <= oldest + 1
                for freed in self.freed[scenario.owner(x) * n + i]
            )
        )

    def _sink(self, manager: int, i: int) -> None:
        """Serve the request of a manager that has come to a router (N4)."""
        scenario, k = self.scenario, manager * self.scenario.routers + i
        request, *rest = self.requests[k]
        self.requests[k] = tuple(rest)
        x, at = request.entry, i * scenario.entries + request.entry
        if scenario.rules.shares and scenario.owner(x) != manager:
            code = Code.DENIED
        elif request.operation == Operation.KILL:
            code = self._serve_kill(i, manager, request)
        elif request.operation == Operation.GO:
            go = Message(request.epoch + 1, GO, 0, request.instance)
            entry = self.entries[at]
            same = entry.alive and self._same(entry.epoch, go.epoch)
            code = Code.OK if self._at_entry(i, x, 0, go) or same else Code.ENDED
        else:
            code = self._serve_setup(i, manager, request)
            if code == Code.OK and request.operation == Operation.START:
                # The second access of N4.5: anything may come between.
                request = request._replace(operation=Operation.GO)
                self.requests[k] = (request, *self.requests[k])
                return
        self.most[code.name] = 1
        reply = Reply(code, request.tag, x, self.entries[at].epoch, request.instance)
        self.replies[k] += (reply,)

    def _same(self, one: int, other: int) -> bool:
        return (one - other) % self.scenario.rules.epochs == 0

    def _serve_setup(self, i: int, manager: int, request: Request) -> Code:
        at, rules = i * self.scenario.entries + request.entry, self.scenario.rules
        entry = self.entries[at]
        done = self._same(entry.epoch, request.epoch + 1)
        if entry.alive and (rules.busy or done):
            return Code.OK if done else Code.BUSY
        if not self._same(entry.epoch, request.epoch):
            return Code.ENDED if done and rules.ended else Code.EPOCH
        self._check_owner(request.entry, manager)
        self.entries[at] = Entry(
            entry.epoch + 1, 1, request.instance, request.image, request.image.parent, 1, 0, 1
        )
        return Code.OK

    def _serve_kill(self, i: int, manager: int, request: Request) -> Code:
        at = i * self.scenario.entries + request.entry
        entry = self.entries[at]
        if not entry.alive:
            self._check_owner(request.entry, manager)
            if self.scenario.rules.kill_sets:
                self.entries[at] = Entry(request.epoch)
            return Code.OK
        if self.scenario.rules.kill_epoch and not self._same(entry.epoch, request.epoch):
            return Code.DENIED
        self._check_owner(request.entry, manager)
        if entry.instance // ATTEMPTS != request.instance // ATTEMPTS:
            raise Violation("KILL ends another group")
        self._kill(i, request.entry)
        return Code.OK

    def _check_owner(self, x: int, manager: int) -> None:
        if self.scenario.owner(x) != manager:
            raise Violation("a manager changes an entry that is not its own")

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
        if any(node.ready or node.arrived for node in self.nodes):
            raise Violation("a process waits forever")
