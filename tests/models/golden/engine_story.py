"""Groups that come and go on a network of engines, and what their processes may rely on."""

from __future__ import annotations

import random
from collections import Counter
from functools import reduce
from operator import add, and_, or_, xor

from syncfabric.models.golden.engine import Freed, Message
from syncfabric.models.layout.engine import Kind
from tests.models.golden.engine_nets import Group, Net

OPERATIONS = (or_, and_, xor, max, min, add)


class Life:
    """A group, from SETUP to its end.

    Attributes
    ----------
    plan : list of dict of int to (int, bool)
        By episode and member: data, and whether it says LAST; in the last episode all do.
    """

    def __init__(self, group: Group, rng: random.Random, episodes: int, data_bits: int) -> None:
        self.group, self.data_bits = group, data_bits
        self.plan = [
            {
                a: (rng.getrandbits(data_bits) if data_bits else 0, episode == episodes - 1)
                for a in group.members
            }
            for episode in range(episodes)
        ]
        for episode in self.plan[:-1]:  # some say LAST, but not all
            for a in rng.sample(sorted(episode), rng.randrange(len(episode))):
                episode[a] = (episode[a][0], True)
        self.accepted: list[set[int]] = [set() for _ in self.plan]
        self.got: Counter[int] = Counter()  # GO and releases, by member
        self.broken: set[int] = set()
        self.freed = 0

    def expected(self, episode: int) -> tuple[int, int]:
        """Kind and data of a release."""
        data = [data for data, _ in self.plan[episode].values()]
        kind = Kind.LAST if all(last for _, last in self.plan[episode].values()) else Kind.PLAIN
        op = OPERATIONS[self.group.op] if self.data_bits else or_
        return kind, reduce(op, data) % (1 << self.data_bits)

    @property
    def ended(self) -> bool:
        return all(self.got[a] > len(self.plan) for a in self.group.members)


class Story:
    """Lives on a network; rules are checked at each release.

    Parameters
    ----------
    net : Net
    rng : random.Random
    ops : int
        Operations that are built.
    """

    def __init__(self, net: Net, rng: random.Random, ops: int) -> None:
        self.net, self.rng, self.ops = net, rng, ops
        self.lives: dict[tuple[int, int, int], Life] = {}  # by member, entry and epoch
        self.all: list[Life] = []
        self.later: list[tuple[int, int, Message, Life]] = []
        self.seen: Counter[str] = Counter()
        net.on_release, net.on_accept, net.on_freed = self.released, self.accept, self.free

    def begin(self, episodes: int) -> Life | None:
        """Draw a group and set it up, if there is room."""
        rng, net = self.rng, self.net
        nodes = range(len(net.engines))
        members = rng.sample(nodes, rng.randint(1, len(nodes)))
        group = net.group(members, rng.choice(nodes), rng.randrange(self.ops))
        if group is None:
            return None
        life = Life(group, rng, episodes, net.layout.data_bits)
        self.all.append(life)
        net.set_up(group)
        self.lives |= {(a, group.entry[a], group.epoch[a]): life for a in group.members}
        return life

    def released(self, node: int, message: Message) -> None:
        life = self.lives[node, message.entry, message.epoch]
        assert node not in life.broken, "a release after BROKEN"
        if message.kind == Kind.BROKEN:
            assert life.group.killed
            life.broken.add(node)
            self.seen["broken"] += 1
            return
        episode = life.got[node] - 1
        life.got[node] += 1
        self.seen["released"] += 1
        if episode < 0:
            assert message.kind == Kind.GO
        else:
            assert life.accepted[episode] == life.group.members, "a release is early"
            kind, data = life.expected(episode)
            assert message.kind == kind
            assert message.data == data
        if episode + 1 < len(life.plan):
            data, last = life.plan[episode + 1][node]
            kind = Kind.LAST if last else Kind.PLAIN
            when = self.net.now + self.rng.choice((0, 1, 3, 20))
            arrival = Message(message.entry, message.epoch, kind, data)
            self.later.append((when, node, arrival, life))

    def accept(self, node: int, message: Message) -> None:
        """Note an arrival; it is never before its release, so it counts from the next cycle."""
        life = self.lives.get((node, message.entry, message.epoch))
        if life:
            life.accepted[life.got[node] - 1].add(node)

    def free(self, node: int, freed: Freed) -> None:
        life = [
            x
            for x in self.all
            if (x.group.root, x.group.entry[x.group.root]) == (node, freed.entry)
        ][-1]
        assert freed.epoch == life.group.epoch[node]
        assert not life.freed
        life.freed += 1
        self.seen["freed"] += 1

    def step(self) -> None:
        for due in [due for due in self.later if due[0] <= self.net.now]:
            self.later.remove(due)
            _, node, arrival, life = due
            if not life.group.killed or self.rng.random() < 0.5:  # an arrival may meet a KILL
                self.net.arrivals[node].append(arrival)
        self.net.step()

    def end(self, life: Life) -> None:
        """Take a group's entries back, once it has ended."""
        group = life.group
        for a in group.routers:
            self.net.used[a].discard(group.entry[a])
            assert not self.net.engines[a].entry(group.entry[a]).alive

    def kill(self, life: Life) -> None:
        self.net.kill(life.group)
        self.net.settle()
        for member in life.group.members:
            assert member in life.broken or life.got[member] > len(life.plan)
        self.end(life)
