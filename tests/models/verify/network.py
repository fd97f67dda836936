"""Hardware of the set-up protocol: node ports, routers and sinks, and what is under way.

Every message, request and reply takes as long as it likes. Messages keep their order on a directed
link as far as they are for one entry: entries do not depend on each other, so no order of messages
for two of them means anything. Requests and replies keep their order between a manager and a
router, FREED keeps it among its like. Epochs are counted without end and compared modulo
``rules.epochs``.
"""

from typing import NamedTuple

from tests.models.verify.explorer import Violation
from tests.models.verify.scenario import (
    ATTEMPTS,
    BROKEN,
    DEAD,
    GO,
    LAST,
    PLAIN,
    Code,
    Entry,
    Message,
    Operation,
    Reply,
    Request,
    Scenario,
    kill,
    serve,
)


class Node(NamedTuple):
    """Register of a node port, and the barrier of its process's last arrival."""

    ready: int = 0
    arrived: int = 0
    epoch: int = 0
    instance: int = -1
    episode: int = 0


IDLE = Node()


class Network:
    """State of the hardware.

    Parameters
    ----------
    scenario : Scenario

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
    joined, finished : list[int]
        By router, a bit a group: its process has been started, and released for the last time.
    spoiled : int
        Groups that something has broken, or software has given up, a bit each.
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
        self.most: dict[str, int] = {"left over": 0}

    def at(self, i: int, x: int) -> int:
        """Return the place of router i's entry x in the lists of entries."""
        return i * self.scenario.entries + x

    # Node ports and their processes.

    def may_arrive(self, node: Node) -> bool:
        """Return whether a process may arrive."""
        if node.ready:
            return not node.arrived and node.episode < self.scenario.group(node.instance).barriers
        # An eager process arrives for the first group of its entry before it is ready.
        return not self.scenario.rules.ready and node == IDLE

    def arrive(self, i: int, x: int) -> None:
        """Let a process arrive; nothing is sent if the register is not ready."""
        k = self.at(i, x)
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
            self.take(i, x, 1 << self.scenario.routers, message)

    def release(self, i: int, x: int, message: Message) -> None:
        """Take a router's message to a process, and check that it may be released by it."""
        k, group = self.at(i, x), self.scenario.group(message.instance)
        bit = 1 << message.instance // ATTEMPTS
        node, ended = self.nodes[k], Node(0, 0, message.epoch, message.instance, 0)
        if message.kind == GO:
            if self.joined[i] & bit:
                raise Violation("a group is started a second time")
            self.joined[i] |= bit
            if node.ready:
                raise Violation("a process sees GO twice")
            self.nodes[k] = Node(1, node.arrived, message.epoch, message.instance, 0)
            return
        if message.kind == BROKEN:
            if node.instance == message.instance and not node.ready:
                raise Violation("a process is released after its group has ended")
            self.nodes[k] = ended
            return
        if not node.arrived or node.instance != message.instance:
            raise Violation("a process is released that has not arrived")
        if message.data != group.arrivals(node.episode):
            raise Violation("a process is released early, or with wrong data")
        if (message.kind == LAST) != (node.episode == group.barriers):
            raise Violation("a group ends though a member did not say LAST")
        if message.kind == LAST:
            self.finished[i] |= bit
        self.nodes[k] = ended if message.kind == LAST else node._replace(arrived=0)

    # Entries of routers (E4, E6, E12).

    def take(self, i: int, x: int, port: int, message: Message) -> bool:
        """Serve a message at entry x of router i; return whether it changed it."""
        rules, entry = self.scenario.rules, self.entries[self.at(i, x)]
        fired = serve(
            entry, port, message, modulo=rules.epochs, whole=rules.whole, anded=rules.anded
        )
        if fired is not None:
            self._fire(i, x, entry, *fired)
        return fired is not None

    def end(self, i: int, x: int) -> None:
        """End an entry that is alive by KILL, or by its watchdog."""
        entry = self.entries[self.at(i, x)]
        self._fire(i, x, entry, *kill(entry))

    def is_watched(self, entry: Entry) -> bool:
        """Return whether an entry waits in vain: then its own watchdog ends it, too (E3.2, E8)."""
        waits = not entry.fresh or (entry.turn and entry.last and entry.image.parent)
        spoiled = self.spoiled >> entry.instance // ATTEMPTS & 1
        return bool(self.scenario.drops and waits and spoiled)

    def _fire(
        self, i: int, x: int, before: Entry, after: Entry, to: int, kind: int, data: int
    ) -> None:
        n = self.scenario.routers
        self.entries[self.at(i, x)] = after
        for j in range(n):
            if to >> j & 1:
                entry, epoch = before.image.names[j]
                k = self.at(i * n + j, entry)
                self.links[k] += (Message(epoch, kind, data, before.instance),)
                self._measure(k)
        if to >> n & 1:
            message = Message(before.epoch, kind, data, before.instance)
            if self.scenario.linked:
                self.down[self.at(i, x)] += (message,)
            else:
                self.release(i, x, message)
        if kind == LAST and not after.alive and not before.image.parent:
            freed = Reply(Code.FREED, -1, x, before.epoch, before.instance)
            channels = self.replies if self.scenario.rules.freed_in_order else self.freed
            channels[self.scenario.owner(x) * n + i] += (freed,)

    def _measure(self, k: int) -> None:
        """Check E12.1 on a link, and measure what former instances left there."""
        instances = [message.instance for message in self.links[k] if message.kind != BROKEN]
        if len(set(instances)) < len(instances):
            raise Violation("two messages of one instance are unmerged on a link")
        self.most["left over"] = max(self.most["left over"], len(instances) - 1)

    # Sinks (N4, E7).

    def may_serve(self, i: int, request: Request) -> bool:
        """Return whether the assumption on messages under way lets a request be served."""
        n, x = self.scenario.routers, request.entry
        k = self.at(i, x)
        if request.operation == Operation.KILL or self.entries[k].alive:
            return True
        oldest = self.entries[k].epoch + 1 - self.scenario.rules.under_way
        freed = self.freed[self.scenario.owner(x) * n + i]
        return not (
            any(m.epoch <= oldest for j in range(n) for m in self.links[self.at(j * n + i, x)])
            or any(m.epoch <= oldest for m in (*self.down[k], *self.up[k]))
            or any(each.entry == x and each.epoch <= oldest + 1 for each in freed)
        )

    def obey(self, manager: int, i: int) -> None:
        """Serve the request of a manager that has come to router i."""
        scenario, k = self.scenario, manager * self.scenario.routers + i
        request, *rest = self.requests[k]
        self.requests[k] = tuple(rest)
        if scenario.rules.shares and scenario.owner(request.entry) != manager:
            code = Code.DENIED
        elif request.operation == Operation.KILL:
            code = self._kill(i, manager, request)
        elif request.operation == Operation.GO:
            code = self._go(i, request)
        else:
            code = self._set_up(i, manager, request)
            if code == Code.OK and request.operation == Operation.START:
                # The second access of N4.5: anything may come between.
                request = request._replace(operation=Operation.GO)
                self.requests[k] = (request, *self.requests[k])
                return
        self.most[code.name] = 1
        epoch = self.entries[self.at(i, request.entry)].epoch
        self.replies[k] += (Reply(code, request.tag, request.entry, epoch, request.instance),)

    def _same(self, one: int, other: int) -> bool:
        return (one - other) % self.scenario.rules.epochs == 0

    def _go(self, i: int, request: Request) -> Code:
        entry = self.entries[self.at(i, request.entry)]
        go = Message(request.epoch + 1, GO, 0, request.instance)
        done = entry.alive and self._same(entry.epoch, go.epoch)
        return Code.OK if self.take(i, request.entry, 0, go) or done else Code.ENDED

    def _set_up(self, i: int, manager: int, request: Request) -> Code:
        at, rules = self.at(i, request.entry), self.scenario.rules
        entry, parent = self.entries[at], request.image.parent
        done = self._same(entry.epoch, request.epoch + 1)
        if entry.alive and (rules.busy or done):
            return Code.OK if done else Code.BUSY
        if not self._same(entry.epoch, request.epoch):
            return Code.ENDED if done and rules.ended else Code.EPOCH
        self._check_owner(request.entry, manager)
        self.entries[at] = Entry(
            entry.epoch + 1, 1, request.instance, request.image, parent, turn=1, last=0, fresh=1
        )
        return Code.OK

    def _kill(self, i: int, manager: int, request: Request) -> Code:
        at, rules = self.at(i, request.entry), self.scenario.rules
        entry = self.entries[at]
        if entry.alive and rules.kill_epoch and not self._same(entry.epoch, request.epoch):
            return Code.DENIED
        self._check_owner(request.entry, manager)
        if not entry.alive:
            if rules.kill_sets:
                self.entries[at] = Entry(request.epoch)
            return Code.OK
        if entry.instance // ATTEMPTS != request.instance // ATTEMPTS:
            raise Violation("KILL ends another group")
        self.end(i, request.entry)
        return Code.OK

    def _check_owner(self, x: int, manager: int) -> None:
        if self.scenario.owner(x) != manager:
            raise Violation("a manager changes an entry that is not its own")
