"""Irregular networks set up through the config port, and groups that arrive as told."""

import random
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from syncfabric.models.golden.irregular import ConfigRequest, IrregularModel
from syncfabric.models.golden.record import Observer
from syncfabric.models.messages import (
    CONTROL,
    TREE,
    Op,
    SwitchWord,
    register_address,
)
from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["Bench", "Group", "line", "network_of", "random_network", "ring", "star", "tree"]


def network_of(
    ports: int,
    switches: int,
    links: Iterable[tuple[tuple[int, int], tuple[int, int]]],
    nodes: Iterable[tuple[int, int]],
    **options: Any,
) -> IrregularSpec:
    """Return a network whose tables lead along shortest ways, by the lowest port of several."""
    links = tuple(links)
    options.setdefault("tables", shortest_tables(switches, links))
    return IrregularSpec.model_validate(
        {
            "kind": "irregular",
            "ports": ports,
            "switches": switches,
            "links": links,
            "nodes": tuple(nodes),
            "setup": "local",
            **options,
        }
    )


def shortest_tables(switches: int, links: Sequence[Any]) -> tuple[tuple[int, ...], ...]:
    rows = [[-1] * switches for _ in range(switches)]
    ways = sorted([(*a, b[0]) for a, b in links] + [(*b, a[0]) for a, b in links])
    for destination in range(switches):
        level, seen = [destination], {destination}
        while level:
            following = []
            for switch, port, other in ways:
                if other in level and switch not in seen and rows[switch][destination] < 0:
                    rows[switch][destination] = port
                    following.append(switch)
            seen.update(following)
            level = following
    return tuple(map(tuple, rows))


def line(switches: int, **options: Any) -> IrregularSpec:
    """Switches in a row; ports 0 and 1 lead left and right, 2 and 3 to nodes."""
    links = [((s, 1), (s + 1, 0)) for s in range(switches - 1)]
    nodes = [(s, port) for s in range(switches) for port in (2, 3)]
    return network_of(4, switches, links, nodes, **options)


def star(**options: Any) -> IrregularSpec:
    """Return switch 0 in the middle without nodes, switches 1 to 3 with two nodes each."""
    links = [((0, s - 1), (s, 3)) for s in (1, 2, 3)]
    return network_of(4, 4, links, [(s, port) for s in (1, 2, 3) for port in (0, 1)], **options)


def ring(switches: int, **options: Any) -> IrregularSpec:
    """Return a ring of switches with a node each; packets go round by port 1 only."""
    links = [((s, 1), ((s + 1) % switches, 0)) for s in range(switches)]
    tables = [[-1 if s == d else 1 for d in range(switches)] for s in range(switches)]
    nodes = [(s, 2) for s in range(switches)]
    return network_of(3, switches, links, nodes, tables=tables, **options)


def random_network(rng: random.Random, **options: Any) -> IrregularSpec:
    """Return a connected network, often with parallel links and switches without nodes."""
    ports, switches = rng.randint(3, 6), rng.randint(1, 6)
    free = {s: rng.sample(range(ports), ports) for s in range(switches)}
    links = []
    for s in range(1, switches):
        other = rng.choice([o for o in range(s) if free[o]])
        links.append(((s, free[s].pop()), (other, free[other].pop())))
    for _ in range(rng.randint(0, switches)):
        open_switches = [s for s in free if len(free[s]) > 1]
        if len(open_switches) > 1:
            a, b = rng.sample(open_switches, 2)
            links.append(((a, free[a].pop()), (b, free[b].pop())))
    places = [(s, port) for s in free for port in free[s]]
    nodes = rng.sample(places, rng.randint(1, min(10, len(places))))
    tree_only = links[: switches - 1] if rng.random() < 0.5 else links
    options.setdefault("tables", shortest_tables(switches, tree_only))
    return network_of(ports, switches, links, nodes, **options)


@dataclass
class Group:
    """Who is in a barrier tree: by target its parent's port, its children's, whether it is root.

    ``depth`` is, by node, the number of links from the root switch.
    """

    images: dict[int, tuple[int, list[int], bool]] = field(default_factory=dict)
    depth: dict[int, int] = field(default_factory=dict)


def tree(network: IrregularSpec, members: Sequence[int], root: int, rng: Any = None) -> Group:
    """Return a tree of shortest ways from a switch; the first member turns around, if a node does.

    With ``rng`` one of parallel links is taken at random.
    """
    topology, count, made = network.topology, len(network.nodes), Group()
    if len(members) == 1:
        made.images[members[0]] = (0, [1], True)
        return made
    up: dict[int, tuple[int, int, int]] = {}
    depth = {root: 0}
    queue = deque([root])
    while queue:
        switch = queue.popleft()
        ports = list(range(network.ports))
        if rng is not None:
            rng.shuffle(ports)
        for port in ports:
            end = topology.across(switch, port)
            if end is not None and end[0] not in depth:
                up[end[0]] = (end[1], switch, port)
                depth[end[0]] = depth[switch] + 1
                queue.append(end[0])
    children: dict[int, list[int]] = {root: []}
    for node in members:
        switch, port = network.nodes[node]
        made.depth[node] = depth[switch] + 1
        made.images[node] = (0, [1], False)
        while True:
            known = switch in children
            children.setdefault(switch, []).append(port)
            if known:
                break
            _, switch, port = up[switch]
    for switch, ports in children.items():
        parent = up[switch][0] if switch in up else 0
        made.images[count + switch] = (parent, ports, switch == root)
    if network.turnaround == "node":
        switch, port = network.nodes[members[0]]
        assert switch == root
        made.images[members[0]] = (0, [0, 1], True)
        others = [child for child in children[root] if child != port]
        made.images[count + root] = (port, others, False)
    return made


@dataclass
class Bench:
    """A started model with its groups set up; ``places`` is the register of (group, target)."""

    network: IrregularSpec
    observer: Observer | None = None
    groups: dict[int, Group] = field(default_factory=dict)
    places: dict[tuple[int, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.model = IrregularModel(self.network, observer=self.observer)
        self.model.step(start=True)

    def add(self, gid: int, group: Group, op: str = "or", epoch: int = 0) -> None:
        """Write a group's registers."""
        self.groups[gid] = group
        for target, (parent, children, root) in group.images.items():
            slot = sum(1 for _, place in self.places if place == target)
            self.places[gid, target] = slot
            words = {
                SwitchWord.TREE: TREE.pack(
                    {"parent": parent, "children": sum(1 << child for child in children)}
                ),
                SwitchWord.CONTROL: CONTROL.pack(
                    {"valid": 1, "root": root, "op": Op[op.upper()], "gid": gid, "epoch": epoch}
                ),
            }
            for word, data in words.items():
                assert self.request(target, register_address(slot, word), data) == 0

    def request(self, target: int, address: int, data: int | None = None) -> int | None:
        """Write ``data``, or read; return the answer, None for an error."""
        self.model.step(config=ConfigRequest(target, address, data is not None, data or 0))
        while not self.model.config_answer[0]:
            self.model.step()
        _, error, answer = self.model.config_answer
        return None if error else answer

    def members(self, gid: int) -> list[int]:
        """Return the nodes of a group."""
        return [target for target in self.groups[gid].images if target < len(self.network.nodes)]

    def counters(self, target: int) -> list[int]:
        """Return a target's counters: overflows, strays, refused arrives and writes."""
        image = self.model.observe(target)
        ports = 2 if target < len(self.network.nodes) else self.network.ports
        registers = self.network.barrier_registers
        image >>= registers * (2 * ports + 2 + 2 * self.network.data_bits)
        return [image >> 8 * i & 255 for i in range(4)]

    def all_counters(self) -> list[list[int]]:
        """Return the counters of all targets."""
        count = len(self.network.nodes) + self.network.switches
        return [self.counters(target) for target in range(count)]

    def settle(self) -> None:
        """Step until nothing moves."""
        while self.model.idle_until() is not None:
            self.model.step()

    def episode(self, gid: int, last: int, early: int = 60) -> int:
        """Let ``last`` arrive ``early`` cycles after the others; return the group's latency."""
        members = self.members(gid)
        arrivals = {(node, self.places[gid, node]): 1 for node in members}
        if early:
            self.model.step(arrive={key: 1 for key in arrivals if key[0] != last})
            for _ in range(early):
                assert not self.model.release
                self.model.step()
            arrivals = {(last, self.places[gid, last]): 1}
        begin, released = self.model.cycle, 0
        self.model.step(arrive=arrivals)
        while True:
            released += len(self.model.release)
            if released == len(members):
                return self.model.cycle - begin
            assert self.model.idle_until() is not None, "the barrier hangs"
            self.model.step()
