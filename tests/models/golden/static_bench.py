"""Rings and trees on static networks, made by hand and at random, set up as software would."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.messages.static import INIT, ROLE_WORD, LoaderWord, Role, StaticWord
from syncfabric.models.networks.mesh import Mesh, Node, Port
from syncfabric.models.networks.spec import StaticSpec

CORE = Port.LOCAL
Routes = dict[tuple[Node, Port], Port]
"""What an output of a switch selects."""


def static(width: int, height: int, buffers: tuple[int, int, int] = (2, 2, 2)) -> StaticSpec:
    """Return a network with W, B and O places in its buffers."""
    switch, core, injection = buffers
    return StaticSpec(
        kind="static",
        width=width,
        height=height,
        flit_bits=4,
        switch_buffer=switch,
        core_buffer=core,
        injection_buffer=injection,
    )


def mesh_of(spec: StaticSpec) -> Mesh:
    """Return the mesh of a network that is one."""
    assert isinstance(spec.topology, Mesh)
    return spec.topology


@dataclass(frozen=True)
class Group:
    """A ring (``length`` is N, its links) or a tree (L, the links of the longest path)."""

    root: Node
    members: tuple[Node, ...]
    routes: Routes
    length: int
    tree: bool = False

    def flits(self, spec: StaticSpec) -> int:
        """Return the flits of an episode of a tree: one more than the longest path holds."""
        slots = spec.injection_buffer + spec.switch_buffer * self.length + spec.core_buffer
        return 1 + slots

    def role(self, node: Node) -> Role:
        if len(self.members) == 1:
            return Role.ALONE
        at_root = node == self.root
        if self.tree:
            return Role.TREE_ROOT if at_root else Role.TREE
        return Role.RING_ROOT if at_root else Role.RING

    @property
    def outputs(self) -> set[tuple[Node, Port]]:
        """All outputs to be flushed: the group's own, and CORE at every member."""
        return {*self.routes, *((node, CORE) for node in self.members)}


def port_to(here: Node, there: Node) -> Port:
    steps = {(1, 0): Port.EAST, (0, 1): Port.NORTH, (-1, 0): Port.WEST, (0, -1): Port.SOUTH}
    return steps[there[0] - here[0], there[1] - here[1]]


def cycle(width: int, height: int, x: int = 0, y: int = 0) -> list[Node]:
    """Return all nodes of a rectangle in the order of a ring, if a side is even; else its edge."""
    if width % 2 and height % 2:
        south = [(x + i, y) for i in range(width)]
        east = [(x + width - 1, y + i) for i in range(1, height)]
        north = [(x + i, y + height - 1) for i in reversed(range(width - 1))]
        return south + east + north + [(x, y + i) for i in reversed(range(1, height - 1))]
    if height % 2:
        return [(x + b, y + a) for a, b in cycle(height, width)]
    path = [(x, y + i) for i in range(height)]
    for i in range(height):
        row = [(x + j, y + height - 1 - i) for j in range(1, width)]
        path += reversed(row) if i % 2 else row
    return path


def ring(path: Sequence[Node], members: Iterable[Node] | None = None) -> Group:
    """Return a ring along a path from its root, all its switches members by default."""
    inside = list(path) if members is None else [node for node in path if node in set(members)]
    routes: Routes = {}
    for i, here in enumerate(path):
        before, after = path[i - 1], path[(i + 1) % len(path)]
        entry = port_to(here, before)
        routes[here, port_to(here, after)] = CORE if i == 0 else entry
        if here in inside:
            routes[here, CORE] = entry
    return Group(path[0], tuple(inside), routes, len(path))


def tree(parents: Mapping[Node, Node], root: Node, members: Iterable[Node]) -> Group:
    """Return a tree of which every leaf is a member."""
    inside = [root, *(node for node in members if node != root)]
    depth = {root: 0}
    routes: Routes = {}
    for node, parent in parents.items():  # parents come before their children
        depth[node] = depth[parent] + 1
        output = CORE if parent == root else port_to(parent, parents[parent])
        routes[parent, port_to(parent, node)] = output
    for node in inside[1:]:
        routes[node, CORE] = port_to(node, parents[node])
    return Group(root, tuple(inside), routes, max(depth[node] for node in inside), tree=True)


def random_tree(rng: random.Random, mesh: Mesh, region: Sequence[Node]) -> Group:
    """Grow a tree at random over a connected region, and cut what leads to no member."""
    root = rng.choice(region)
    parents: dict[Node, Node] = {}
    for _ in range(8 * len(region)):
        here = rng.choice([root, *parents])
        there = mesh.neighbour(here, Port(rng.randrange(4)))
        if there is not None and there in region and there not in (root, *parents):
            parents[there] = here
    members = rng.sample(list(parents), rng.randint(1, len(parents)))
    needed = set(members)
    for node in reversed(parents):
        if node in needed:
            needed.add(parents[node])
    kept = {node: parent for node, parent in parents.items() if node in needed}
    return tree(kept, root, members)


def random_groups(rng: random.Random, mesh: Mesh) -> list[Group]:
    """Cut a mesh of at least 2x2 into regions, and make a ring or a tree in each."""
    cut = rng.choice([c for c in range(2, mesh.width + 1) if mesh.width - c != 1])
    groups = []
    for x, width in ((0, cut), (cut, mesh.width - cut)):
        if not width:
            continue
        if rng.random() < 0.5:
            path = cycle(width, mesh.height, x)
            start = rng.randrange(len(path))
            path = path[start:] + path[:start]
            others = rng.sample(path[1:], rng.randint(1, len(path) - 1))
            groups.append(ring(path, [path[0], *others]))
        else:
            region = [(x + i, y) for i in range(width) for y in range(mesh.height)]
            groups.append(random_tree(rng, mesh, region))
    return groups


def chain_words(
    mesh: Mesh, routes: Mapping[tuple[Node, Port], Port], flush: Iterable[tuple[Node, Port]] = ()
) -> list[int]:
    """Return the words that the loader shifts in, the chain's highest bits first."""
    chain = 0
    for (node, output), source in routes.items():
        others = [port for port in Port if port is not output]
        chain |= 1 << 25 * mesh.index(node) + 5 * output + others.index(source)
    for node, output in flush:
        chain |= 1 << 25 * mesh.index(node) + 5 * output + 4
    length = -(-25 * len(mesh.nodes) // 32) * 32
    bits = [chain >> place & 1 for place in reversed(range(length))]
    return [
        sum(bit << place for place, bit in enumerate(bits[first : first + 32]))
        for first in range(0, length, 32)
    ]


def look(spec: StaticSpec, observed: int) -> dict[str, int]:
    """Return the fields of a node's ``observe``."""
    widths = dict.fromkeys(("east", "north", "west", "south"), spec.switch_buffer.bit_length())
    widths["injection"] = spec.injection_buffer.bit_length()
    widths["core"] = spec.core_buffer.bit_length()
    widths |= {"left": 16, "owed": 6, "back": 1, "go": 1, "begun": 1}
    widths |= dict.fromkeys(("overflow", "stray", "refused_arrive", "refused_write"), 8)
    found = {}
    for name, width in widths.items():
        found[name] = observed & (1 << width) - 1
        observed >>= width
    assert not observed
    return found


@dataclass
class Bench:
    """A model and its groups; time goes on by ``step`` alone, which ``clock`` can take over."""

    spec: StaticSpec
    groups: list[Group] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.model, self.mesh = StaticModel(self.spec), mesh_of(self.spec)
        self.clock: Callable[..., object] = self.model.step
        self._loaded: list[Group] = []

    def step(self, **inputs: Any) -> None:
        self.clock(**inputs)

    def request(self, target: int, address: int, data: int | None = None) -> int:
        """Write, or read, and wait for the answer, which must not be an error."""
        self.step(config=ConfigRequest(target, address, data is not None, data or 0))
        while not self.model.config_answer[0]:
            self.step()
        _, error, answer = self.model.config_answer
        assert not error
        return answer

    def load(self, gone: Sequence[Group] = ()) -> None:
        """Load the routes of all groups; flush those of the new and of the ``gone``."""
        new = [group for group in self.groups if group not in self._loaded]
        routes = {key: port for group in self.groups for key, port in group.routes.items()}
        flush = {output for group in (*new, *gone) for output in group.outputs}
        loader = len(self.mesh.nodes)
        for word in chain_words(self.mesh, routes, flush):
            self.request(loader, LoaderWord.SHIFT, word)
        self.request(loader, LoaderWord.STROBE, 0)
        for _ in range(2):
            self.step()
        self._loaded = list(self.groups)

    def begin(self, group: Group, flits: int | None = None) -> None:
        """Tell all members their roles, and the root to begin."""
        values = {"flits": group.flits(self.spec) if flits is None else flits}
        for node in group.members:
            word = ROLE_WORD.pack({"role": group.role(node), **values})
            self.request(self.mesh.index(node), StaticWord.ROLE, word)
        if len(group.members) > 1:
            self.request(self.mesh.index(group.root), StaticWord.COMMAND, INIT)

    def quiesce(self) -> None:
        """Step until nothing moves."""
        while self.model.idle_until() is not None:
            self.step()

    def look(self, node: Node) -> dict[str, int]:
        return look(self.spec, self.model.observe(self.mesh.index(node)))

    def full(self) -> Iterator[tuple[Node, str, int]]:
        """Yield every buffer that holds something: where it is, its name, and how much."""
        for node in self.mesh.nodes:
            for name, count in list(self.look(node).items())[:6]:
                if count:
                    yield node, name, count


def ready_bench(spec: StaticSpec, *groups: Group, flits: int | None = None) -> Bench:
    """Return a bench with its groups set up and quiet; ``flits`` in place of a tree's own."""
    bench = Bench(spec, list(groups))
    bench.load()
    for group in groups:
        bench.begin(group, flits)
    bench.quiesce()
    return bench
