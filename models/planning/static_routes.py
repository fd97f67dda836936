"""Routes of a static network as the words that load them, and the roles of members (R3, R5)."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.messages.static import INIT, ROLE_WORD, LoaderWord, Role, StaticWord
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.free_links import Output
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.ring import Ring
from syncfabric.models.planning.set_up import Write

WORD_BITS = 32
"""Bits of a word that is written to SHIFT."""
SETTLING = 3
"""Cycles from the STROBE until a node may be given its role."""


def through_cores(group: GroupPlan) -> GroupPlan:
    """Return a group with every member's core on the path of its ring; see ``Ring``.

    Raises
    ------
    PlanError
        The group is no ring.
    """
    if not isinstance(group.route, Ring) or len(group.members) < 2:
        raise PlanError("a token goes round a ring of two members or more; this group has none")
    return replace(group, shape=group.route._replace(through_cores=True))


def chain_words(
    network: StaticSpec, routes: Mapping[Output, int], flush: Collection[Output] = ()
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
        An output is not in the network, or selects what it cannot.
    """
    layout, bits = network.layout, 0

    def place(output: Output) -> int:
        switch, port = output
        if not (0 <= switch < layout.switches and 0 <= port < layout.ports):
            raise SpecError(
                f"routes: output {output} is outside the {network.topology}; switches are 0.."
                f"{layout.switches - 1}, ports 0..{layout.ports - 1}"
            )
        return layout.output_bits * (layout.ports * switch + port)

    for output, source in routes.items():
        inputs = layout.inputs(output[1])
        first = place(output)
        if source not in inputs:
            raise SpecError(
                f"routes: output {output} cannot select input {source}; take one of "
                f"{', '.join(map(str, inputs))}, or leave the output out"
            )
        bits |= 1 << first + inputs.index(source)
    for output in flush:
        bits |= 1 << place(output) + layout.output_bits - 1
    count = -(-layout.chain_bits // WORD_BITS)
    stream = f"{bits:0{count * WORD_BITS}b}"  # highest first: the order of shifting
    words = [stream[first : first + WORD_BITS] for first in range(0, len(stream), WORD_BITS)]
    return [int(word[::-1], 2) for word in words]


def group_outputs(group: GroupPlan) -> set[Output]:
    """Return the outputs that are flushed when a group begins or ends: its links and cores."""
    return {*group.routes(), *map(group.graph.port_of, group.members)}


def role_of(group: GroupPlan, node: Node) -> Role:
    """Return what a member's agent has to do."""
    if len(group.members) == 1:
        return Role.ALONE
    ring, tree = (Role.RING, Role.TREE) if node != group.root else (Role.RING_ROOT, Role.TREE_ROOT)
    return ring if group.flits is None else tree


def route_writes(
    network: StaticSpec, routes: Mapping[Output, int], flush: Collection[Output]
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
        Nodes that are not notified that their group has ended.
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
            yield Write(index(group.route.root), StaticWord.COMMAND, INIT)


def static_writes(
    network: StaticSpec,
    groups: Sequence[GroupPlan],
    beside: Mapping[Output, int] | None = None,
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


def reach(group: GroupPlan) -> dict[Node, int]:
    """Return the links between switches from the root to each member, the nearest first.

    By the group's own routes, not those of a token. The root of a ring is reached at its end, after
    all N links; that of a tree is not.
    """
    outputs: defaultdict[Output, list[Output]] = defaultdict(list)
    for (switch, port), source in group.routes().items():
        outputs[switch, source].append((switch, port))
    cores = {group.graph.port_of(node): node for node in group.members}
    found: dict[Node, int] = {}
    here, links = [group.graph.port_of(group.route.root)], 0
    while here:
        following: list[Output] = []
        for entry in here:
            for output in outputs[entry]:
                to = group.graph.across(*output)
                if output in cores:
                    found[cores[output]] = links
                elif to is not None:
                    following.append(to)
        here, links = following, links + 1
    return found
