"""Routes of a static network as the words that load them, and what members are told (R3, R5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.messages import OUTPUT_BITS
from syncfabric.models.messages.static import INIT, ROLE_WORD, LoaderWord, Role, StaticWord
from syncfabric.models.networks.mesh import Mesh, Node, Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.mesh_links import Output
from syncfabric.models.planning.ring import Ring
from syncfabric.models.planning.set_up import Write

__all__ = [
    "SETTLING",
    "chain_words",
    "group_outputs",
    "reach",
    "role_of",
    "role_writes",
    "route_writes",
    "static_writes",
    "through_cores",
]

WORD_BITS = 32
"""Bits of a word that is written to SHIFT."""
SETTLING = 3
"""Cycles from the STROBE until a node may be told its role."""


def through_cores(group: GroupPlan) -> GroupPlan:
    """Return a group with every member's core in the way of its ring; see ``Ring``.

    Raises
    ------
    PlanError
        The group is no ring.
    """
    if not isinstance(group.way, Ring) or len(group.members) < 2:
        raise PlanError("a token goes round a ring of two members or more; this group has none")
    return replace(group, shape=group.way._replace(through_cores=True))


def chain_words(
    network: StaticSpec, routes: Mapping[Output, Port], flush: Collection[Output] = ()
) -> list[int]:
    """Return the words to write to the loader's SHIFT, in order; then STROBE.

    They hold the bits of the whole chain, switch 0 in the lowest. What is shifted in first ends
    highest, so the first word bears what falls out.

    Source: docs/microarchitecture-static.md, R3.

    Parameters
    ----------
    network : StaticSpec
    routes : mapping of output to input port
        What each output selects; outputs that are left out select nothing.
    flush : collection of output
        Outputs to be flushed.

    Raises
    ------
    SpecError
        An output is not in the network, or selects its own port.
    """
    mesh, bits = network.topology, 0

    def place(output: Output) -> int:
        x, y, port = output
        if not mesh.contains((x, y)):
            raise SpecError(
                f"routes: output ({x}, {y}) {port.name} is outside the {mesh}; "
                f"x must be 0..{mesh.width - 1}, y 0..{mesh.height - 1}"
            )
        return OUTPUT_BITS * (len(Port) * mesh.index((x, y)) + port)

    for output, source in routes.items():
        port = output[2]
        if source == port:
            raise SpecError(
                f"routes: output {output[:2]} {port.name} selects its own port, which no switch "
                "can; take another input, or leave the output out"
            )
        others = [other for other in Port if other is not port]
        bits |= 1 << place(output) + others.index(source)
    for output in flush:
        bits |= 1 << place(output) + OUTPUT_BITS - 1
    count = -(-network.layout.chain_bits // WORD_BITS)
    stream = f"{bits:0{count * WORD_BITS}b}"  # highest first: the order of shifting
    words = [stream[first : first + WORD_BITS] for first in range(0, len(stream), WORD_BITS)]
    return [int(word[::-1], 2) for word in words]


def group_outputs(group: GroupPlan) -> set[Output]:
    """Return the outputs that are flushed when a group begins or ends: its links and cores."""
    return {*group.routes(), *((*node, Port.LOCAL) for node in group.members)}


def role_of(group: GroupPlan, node: Node) -> Role:
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
    ended: Iterable[GroupPlan],
    begun: Sequence[GroupPlan],
    silent: Collection[int] = (),
) -> Iterator[Write]:
    """Yield what gives nodes their roles when the routes are loaded; the roots begin last.

    Parameters
    ----------
    network : StaticSpec
    ended, begun : iterable of GroupPlan
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
            yield Write(index(group.way.root), StaticWord.COMMAND, INIT)


def static_writes(
    network: StaticSpec,
    groups: Sequence[GroupPlan],
    beside: Mapping[Output, Port] | None = None,
) -> Iterator[Write]:
    """Yield what sets all groups up, from reset; the roots begin last.

    Each write waits for the answer of the one before, and the first after the STROBE comes at least
    `SETTLING` cycles after it.

    Parameters
    ----------
    network : StaticSpec
    groups : sequence of GroupPlan
    beside : mapping of output to input port, optional
        Routes of further groups, whose members' core ports are left to software.
    """
    routes = {output: port for group in groups for output, port in group.routes().items()}
    routes |= beside or {}
    flush = {*routes, *(output for group in groups for output in group_outputs(group))}
    yield from route_writes(network, routes, flush)
    yield from role_writes(network, (), groups)


def reach(mesh: Mesh, group: GroupPlan) -> dict[Node, int]:
    """Return the links between switches from the root to each member, the nearest first.

    By the group's own routes, not those of a token. The root of a ring is reached at its end, after
    all N links; that of a tree is not.
    """
    outputs: defaultdict[Output, list[Port]] = defaultdict(list)
    for (x, y, port), source in group.routes().items():
        outputs[x, y, source].append(port)
    found: dict[Node, int] = {}
    here: list[tuple[Node, Port]] = [(group.way.root, Port.LOCAL)]
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
