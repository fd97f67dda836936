"""Networks of all kinds, random groups on them, and how a host sets these up."""

import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from syncfabric.models.errors import SpecError
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout.engine import COMMIT, WORD_BITS, Code, EngineLayout
from syncfabric.models.layout.network import NetworkShape, Place
from syncfabric.models.layout.setup import COMMAND, REQUEST, Operation
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.layout.words import ManagerWord, config_address
from syncfabric.models.networks.kinds import MeshNodeShape
from tests.models.golden import graphs

WORD = (1 << WORD_BITS) - 1


def mesh(width: int, height: int, managers: Sequence[int] = (), **keys: Any) -> NetworkShape:
    """Return a mesh; ``keys`` are those of ``MeshNodeShape``."""
    router = MeshNodeShape(width=width, height=height, managers=len(managers), **keys)
    many = width * height
    links = tuple(graphs.mesh(width, height))
    nodes = tuple((n, 4) for n in range(many))
    return NetworkShape(router, many, links, nodes, tuple(managers))


def routes_of(links: Sequence[tuple[Place, Place]], routers: int) -> tuple[tuple[int, ...], ...]:
    """Return for each router the port for each router, along shortest paths."""
    tables = [[0] * routers for _ in range(routers)]
    for target in range(routers):
        _, parent = graphs.distances(list(links), target)
        for n, (_, port, _) in parent.items():
            tables[n][target] = port
    return tuple(map(tuple, tables))


def irregular(
    links: Sequence[tuple[Place, Place]],
    nodes: Sequence[Place],
    ports: int,
    managers: Sequence[int] = (),
    datelines: Sequence[Place] = (),
    **keys: Any,
) -> NetworkShape:
    """Return a network of routers with so many link ports."""
    routers = 1 + max([n for link in links for n, _ in link] + [n for n, _ in nodes])
    keys = {"routing": "table", "routers": routers} | keys if keys.get("channels", 1) else keys
    router = NodeShape(
        links=ports, own=False, managers=len(managers), datelines=bool(datelines), **keys
    )
    routes = routes_of(links, routers)
    rest = tuple(links), tuple(nodes), tuple(managers), routes, tuple(datelines)
    return NetworkShape(router, routers, *rest)


def draw_keys(rng: random.Random, *, routed: bool) -> dict[str, Any]:
    """Draw the keys of a router."""
    groups = rng.choice((1, 2, 4, 16, 33))
    operations = rng.choice(("none", "bitwise", "all"))
    return {
        "groups": groups,
        "operations": operations,
        "data_bits": rng.choice((1, 4, 8, 32)) if operations != "none" else 0,
        "message_links": rng.choice(("own", "own", "shared")),
        "transport": "routed" if routed and groups <= 32 and rng.random() < 0.4 else "link",
        "engine_stages": rng.choice((0, 0, 2, 3, 4)),
        "watchdog": rng.choice((0, 0, 23, 200)),
        "channels": rng.choice((0, 1, 1, 2, 4)),
        "buffer_flits": rng.choice((1, 2, 4, 4)),
        "flit_bits": rng.choice((16, 32, 48)),
        "output_register": rng.random() < 0.3,
        "link_registers": rng.choice((0, 0, 1, 2, 3)),
        "check_bits": rng.choice((0, 0, 0, 4, 8)),
        "counters": rng.random() < 0.8,
        "read_back": rng.random() < 0.8,
    }


def draw_mesh(rng: random.Random, managers: int = 0, **fixed: Any) -> NetworkShape:
    """Draw a small mesh; ``fixed`` keys are not drawn."""
    while True:
        keys = draw_keys(rng, routed=True) | fixed
        width, height = rng.randint(1, 4), rng.randint(1, 4)
        if managers:
            keys |= {"channels": keys["channels"] or 1, "flit_bits": rng.choice((32, 48))}
        owners = rng.sample(range(width * height), min(managers, width * height))
        try:
            shape = mesh(width, height, owners, **keys)
        except SpecError:
            continue
        if width * height > 1 and len(owners) == managers:
            return shape


def draw_irregular(rng: random.Random, managers: int = 0, **fixed: Any) -> NetworkShape:
    """Draw a small network of any form; ``fixed`` keys are not drawn."""
    while True:
        keys = draw_keys(rng, routed=False) | fixed
        routers, ports = rng.randint(1, 6), rng.randint(2, 5)
        links = graphs.random_graph(rng, routers, ports) if routers > 1 else []
        used = {place for link in links for place in link}
        free = [(n, p) for n in range(routers) for p in range(ports) if (n, p) not in used]
        nodes = [place for place in free if rng.random() < 0.7]
        if managers:
            keys |= {"channels": keys["channels"] or 1, "flit_bits": rng.choice((32, 48))}
        owners = rng.sample(range(len(nodes)), min(managers, len(nodes)))
        lines = [place for place in used if rng.random() < 0.2] if keys["channels"] > 1 else []
        more = random.Random(str(links))
        extra = [more.choice((0, 0, 3, 12)) for _ in links] if more.random() < 0.3 else []
        if any(extra):
            keys |= {"longest_link": keys["link_registers"] + max(extra)}
        try:
            shape = irregular(links, nodes, ports, owners, lines, **keys)
            shape = replace(shape, extra=tuple(extra))
        except (SpecError, ValueError):
            continue
        if len(nodes) > 1 and len(owners) == managers and shape.routers == routers:
            return shape


@dataclass
class Group:
    """A group on a tree: by router its parent with the ports at both ends, and its entry.

    ``classes`` are those of messages down, by child, if they are routed.
    """

    members: frozenset[int]
    root: int
    parent: dict[int, tuple[int, int, int]]
    entry: dict[int, int]
    op: int = 0
    classes: dict[int, int] = field(default_factory=dict)
    epoch: dict[int, int] = field(default_factory=dict)

    @property
    def routers(self) -> list[int]:
        """All of the tree, the root last."""
        return [n for n in self.entry if n != self.root] + [self.root]


def draw_group(
    shape: NetworkShape, rng: random.Random, entry: int, members: Sequence[int] = ()
) -> Group:
    """Draw a group of nodes, with the same entry everywhere."""
    nodes = range(len(shape.nodes))
    members = members or rng.sample(nodes, rng.randint(1, len(nodes)))
    homes = [shape.nodes[i][0] for i in members]
    root = homes[0]
    parent: dict[int, tuple[int, int, int]] = {}
    classes: dict[int, int] = {}
    if shape.router.transport == "routed":
        members = _hang(shape, rng, list(members), parent, classes)
        homes = [shape.nodes[i][0] for i in members]
    else:
        _, links = graphs.distances(list(shape.links), root)
        for n in homes:
            while n != root and n not in parent:
                parent[n] = links[n]
                n = links[n][0]
    entries = dict.fromkeys([*parent, root], entry)
    op = rng.randrange({"none": 1, "bitwise": 3, "all": 6}[shape.router.operations])
    return Group(frozenset(members), root, parent, entries, op, classes)


def _hang(
    shape: NetworkShape,
    rng: random.Random,
    members: list[int],
    parent: dict[int, tuple[int, int, int]],
    classes: dict[int, int],
) -> list[int]:
    """Hang members of a mesh below each other; ports of children are distinct."""
    width = shape.router.width  # type: ignore[attr-defined]
    used = {members[0]: set[int]()}
    for b in members[1:]:
        choices = []
        for a in used:
            dx, dy = b % width - a % width, b // width - a // width
            along = [0 if dx > 0 else 2] * (dx != 0), [1 if dy > 0 else 3] * (dy != 0)
            for c in range(2):
                steps = along[c] + along[1 - c]
                if steps[0] not in used[a]:
                    choices.append((a, (steps[-1] + 2) % 4, steps[0], c))
        if choices:
            a, up, down, classes[b] = rng.choice(choices)
            parent[b] = a, up, down
            used[a].add(down)
            used[b] = set()
    return list(used)


def image_of(shape: NetworkShape, group: Group, n: int) -> int:
    """Return the image of a router of a group's tree; epochs are those after SETUP."""
    layout: EngineLayout = shape.router.layout
    fields = {"op": group.op}
    children = 0

    def name(port: int | str, entry: int, epoch: int, place: int, route_class: int) -> None:
        nonlocal fields
        # A slot has no names.
        fields |= {f"entry_{port}": entry % layout.entries, f"epoch_{port}": epoch}
        if layout.routed:
            width = shape.router.width  # type: ignore[attr-defined]
            fields |= {f"x_{port}": place % width, f"y_{port}": place // width}
            fields[f"route_class_{port}"] = route_class

    for i in group.members:
        home, port = shape.nodes[i]
        if home == n:
            children |= 1 << port
            if shape.interfaces:
                name(port, group.entry[n], group.epoch[n], 0, 0)
    for b, (a, up, down) in group.parent.items():
        c = group.classes.get(b, 0)
        if a == n:
            children |= 1 << down
            name(down, group.entry[b], group.epoch[b], b, c)
        if b == n:
            fields["parent"] = 1 << up
            name("u" if layout.routed else up, group.entry[a], group.epoch[a], a, 1 - c)
    return layout.image.pack(fields | {"children": children})


def set_up_writes(shape: NetworkShape, group: Group) -> list[ConfigRequest]:
    """Return the writes of a host that set a group up, and start it; they make new epochs."""
    writes = []
    before = {n: group.epoch.get(n, 0) for n in group.entry}
    group.epoch = {n: (epoch + 1) % 4 for n, epoch in before.items()}
    for n in group.routers:
        target, image = shape.target_of(n), image_of(shape, group, n)
        for k in range(shape.router.layout.image_words):
            writes.append(ConfigRequest(target, 1 + k, True, image >> WORD_BITS * k & WORD))
        writes.append(command(shape, n, Code.SETUP, group.entry[n], before[n]))
    writes.append(
        command(shape, group.root, Code.GO, group.entry[group.root], group.epoch[group.root])
    )
    return writes


def requests_of(shape: NetworkShape, group: Group, operation: Operation) -> list[list[int]]:
    """Return the requests of a group in a manager's memory; SETUP makes new epochs."""
    before = {n: group.epoch.get(n, 0) for n in group.entry}
    if operation is Operation.SETUP:
        group.epoch = {n: (epoch + 1) % 4 for n, epoch in before.items()}
    requests = []
    for n in group.routers:
        word = REQUEST.pack({"epoch": before[n], "entry": group.entry[n]})
        image = image_of(shape, group, n)
        words = [image >> WORD_BITS * k & WORD for k in range(shape.router.layout.image_words)]
        requests.append([shape.sink_header(n), word, *words])
    return requests


def manager_write(shape: NetworkShape, manager: int, word: ManagerWord, data: int) -> ConfigRequest:
    """Return a write to a manager's word."""
    target = shape.managers[manager]
    return ConfigRequest(target, config_address(word), True, data)


def manager_read(shape: NetworkShape, manager: int, word: ManagerWord) -> ConfigRequest:
    """Return a read of a manager's word."""
    return ConfigRequest(shape.managers[manager], config_address(word), False)


def order(
    shape: NetworkShape, manager: int, operation: Operation, requests: Sequence[Sequence[int]]
) -> list[ConfigRequest]:
    """Return the writes that give a manager a command."""
    writes = [manager_write(shape, manager, ManagerWord.POINTER, 0)]
    for request in requests:
        writes += [manager_write(shape, manager, ManagerWord.DATA, word) for word in request]
    word = COMMAND.pack({"operation": operation, "count": len(requests)})
    return [*writes, manager_write(shape, manager, ManagerWord.COMMAND, word)]


def command(shape: NetworkShape, n: int, code: Code, entry: int, epoch: int) -> ConfigRequest:
    """Return a write to COMMIT at a router."""
    word = COMMIT.pack({"code": code, "epoch": epoch, "entry": entry})
    return ConfigRequest(shape.target_of(n), 0, True, word)


class Host:
    """Makes requests one after the other, with pauses."""

    def __init__(self, rng: random.Random, pause: float = 0.3) -> None:
        self.rng, self.pause = rng, pause
        self.jobs = deque[ConfigRequest]()
        self.answers: list[tuple[ConfigRequest, bool, int]] = []
        self._open: ConfigRequest | None = None

    def request(self, answer: tuple[bool, bool, int]) -> ConfigRequest | None:
        """Return the request of a cycle, in which the host sees this answer."""
        if answer[0]:
            assert self._open
            self.answers.append((self._open, answer[1], answer[2]))
            self._open = None
        elif self._open is None and self.jobs and self.rng.random() >= self.pause:
            self._open = self.jobs.popleft()
            return self._open
        return None
