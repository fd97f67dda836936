"""What software writes to set the groups of a static network up (R5), and how far flits go."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from syncfabric.models.messages.static import INIT, ROLE_WORD, LoaderWord, Role, StaticWord
from syncfabric.models.networks.mesh import Mesh, Node, Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.route_chain import Output, chain_words
from syncfabric.models.planning.set_up import Write

__all__ = [
    "SETTLING",
    "NumberedGroup",
    "StaticGroup",
    "group_outputs",
    "reach",
    "role_of",
    "role_writes",
    "route_writes",
    "static_writes",
]

SETTLING = 3
"""Cycles from the STROBE until a node may be told its role."""


class StaticGroup(Protocol):
    """What set-up has to know of a planned group."""

    @property
    def members(self) -> Sequence[Node]:
        """Its members."""

    @property
    def root(self) -> Node:
        """The member that begins."""

    @property
    def flits(self) -> int | None:
        """Flits of an episode of a tree; None of a ring."""

    def routes(self) -> Mapping[Output, Port]:
        """Return what each output of its switches selects."""


class NumberedGroup(StaticGroup, Protocol):
    """A planned group and its number."""

    @property
    def id(self) -> int:
        """Its GID."""


def group_outputs(group: StaticGroup) -> set[Output]:
    """Return the outputs that are flushed when a group begins or ends: its links and cores."""
    return {*group.routes(), *((*node, Port.LOCAL) for node in group.members)}


def role_of(group: StaticGroup, node: Node) -> Role:
    """Return what a member's agent has to do."""
    if len(group.members) == 1:
        return Role.ALONE
    ring, tree = (Role.RING, Role.TREE) if node != group.root else (Role.RING_ROOT, Role.TREE_ROOT)
    return ring if group.flits is None else tree


def route_writes(
    network: StaticSpec, routes: Mapping[Output, Port], flush: Collection[Output]
) -> Iterator[Write]:
    """Yield what loads all routes of a network, and flushes some outputs."""
    loader = network.layout.loader
    for word in chain_words(network, routes, flush):
        yield Write(loader, LoaderWord.SHIFT, word)
    yield Write(loader, LoaderWord.STROBE, 0)


def role_writes(
    network: StaticSpec,
    ended: Iterable[StaticGroup],
    begun: Sequence[StaticGroup],
    silent: Collection[int] = (),
) -> Iterator[Write]:
    """Yield what gives nodes their roles when the routes are loaded; the roots begin last.

    Parameters
    ----------
    network : StaticSpec
    ended, begun : iterable of StaticGroup
        Members of the first have no role any more, unless they are members of the others.
    silent : collection of int
        Nodes that are not told that their group has ended.
    """
    index = network.topology.index
    now = {node for group in begun for node in group.members}
    for group in ended:
        for node in group.members:
            if node not in now and index(node) not in silent:
                yield Write(index(node), StaticWord.ROLE, ROLE_WORD.pack({"role": Role.NONE}))
    for group in begun:
        for node in group.members:
            word = ROLE_WORD.pack({"role": role_of(group, node), "flits": group.flits or 0})
            yield Write(index(node), StaticWord.ROLE, word)
    for group in begun:
        if len(group.members) > 1:
            yield Write(index(group.root), StaticWord.COMMAND, INIT)


def static_writes(
    network: StaticSpec,
    groups: Sequence[StaticGroup],
    beside: Mapping[Output, Port] | None = None,
) -> Iterator[Write]:
    """Yield what sets all groups up, from reset; the roots begin last.

    Each write waits for the answer of the one before, and the first after the STROBE comes at least
    `SETTLING` cycles after it.

    Parameters
    ----------
    network : StaticSpec
    groups : sequence of StaticGroup
    beside : mapping of output to input port, optional
        Routes of further groups, whose members' core ports are left to software.
    """
    routes = {output: port for group in groups for output, port in group.routes().items()}
    routes |= beside or {}
    flush = {*routes, *(output for group in groups for output in group_outputs(group))}
    yield from route_writes(network, routes, flush)
    yield from role_writes(network, (), groups)


def reach(mesh: Mesh, group: StaticGroup) -> dict[Node, int]:
    """Return the links between switches from the root to each member, the nearest first.

    The root of a ring is reached at its end, after all N links; that of a tree is not.

    Parameters
    ----------
    mesh : Mesh
    group : StaticGroup
        Its own routes, not those of a token.
    """
    outputs: defaultdict[Output, list[Port]] = defaultdict(list)
    for (x, y, port), source in group.routes().items():
        outputs[x, y, source].append(port)
    found: dict[Node, int] = {}
    here: list[tuple[Node, Port]] = [(group.root, Port.LOCAL)]
    links = 0
    while here:
        following: list[tuple[Node, Port]] = []
        for node, source in here:
            for port in outputs[(*node, source)]:
                to = mesh.neighbour(node, port)
                if port is Port.LOCAL:
                    found[node] = links
                elif to is not None:
                    following.append((to, port.opposite))
        here, links = following, links + 1
    return found
