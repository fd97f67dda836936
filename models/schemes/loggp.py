"""Schemes under LogGP: paper Reflex's on a static network, and those that fit several kinds.

Reflex (sections III and IV): members' cores set the routes of their own switches; each switch of
the ring or tree without a member is asked by a message to set its own. Nodes touched are those
switches, each once. Every flit that passes a link between switches is a traversal, for a flit is
what other schemes' messages are.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial

import numpy as np

from syncfabric.models.networks.irregular import Ints
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import (
    AnySpec,
    GroupSpec,
    IrregularSpec,
    MessageSpec,
    StaticSpec,
)
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan_static import plan_static
from syncfabric.models.planning.planners import least_tree
from syncfabric.models.schemes.irregular import Routes
from syncfabric.models.schemes.scheme import Cost, scheme
from syncfabric.models.timing.barriers import (
    barrier_ns,
    counter_ns,
    reflex_tree_ns,
    rounds_ns,
    wires_ns,
)
from syncfabric.models.timing.loggp import LogGP, MemoryLogGP
from syncfabric.models.timing.static import flit_cycles

on_static = partial(scheme, kinds=("static",), times=LogGP)
on_routers = partial(scheme, kinds=("mesh", "irregular"), times=LogGP)
on_all = partial(scheme, kinds=("mesh", "irregular", "static"))


@on_static(
    "reflex",
    "back-pressure on a ring of switches: a notify goes round, then a release",
    "paper Reflex, section III",
)
def reflex(network: StaticSpec, members: Sequence[Node], times: LogGP) -> Cost:
    """Return what barriers of Reflex cost on the ring that planner ``ring`` finds.

    With the asking messages goes Init, one of B flits from the root. There is no tree: the height
    is the links of the ring, N, all of which the notify passes in turn. The latency is
    2 (2 o + L) + 2 N h. In a barrier B + 2 flits go round, N links each: notify, release and the
    next fillers.

    Raises
    ------
    PlanError
        There is no ring, as on a mesh of one row.
    """
    group = planned(network, members, "ring")
    links, switches = group.links, set(group.ring or ())
    others = switches - {group.graph.port_of(member)[0] for member in members}
    return Cost(
        setup_messages=len(others) + 1,
        setup_nodes=len(switches),
        height=links,
        latency_ns=barrier_ns("reflex", links, 0, times),
        traversals=links * (network.core_buffer + 2),
    )


@on_static("reflex-tree", "back-pressure on a multicast tree of the same switches", "ours")
def reflex_tree(network: StaticSpec, members: Sequence[Node], times: LogGP) -> Cost:
    """Return what barriers cost on the tree that planner ``tree`` finds.

    There is no Init. The latency is 2 o + L + D h + (F - 1) 4 G, see ``reflex_tree_ns``. In a
    barrier F flits pass every link of the tree.
    """
    group = planned(network, members, "tree")
    assert group.flits is not None
    streams = flit_cycles(network) == 1
    latency = reflex_tree_ns(group.longest_path, group.flits, times, streams=streams)
    return _on_tree(group, members, latency, group.links * group.flits)


@on_static(
    "udn-stn",
    "a message from each member to the root, and a multicast over the static network",
    "paper Reflex, section V",
)
def udn_stn(network: StaticSpec, members: Sequence[Node], times: LogGP) -> Cost:
    """Return the cost of messages over the dynamic network, and a release over the static one.

    The paper names no root: here it is that of planner ``tree``, whose tree the release goes down.
    Messages go to it by shortest paths, as UDN's X-Y routes are. Set-up is that of the tree; UDN
    needs none. The latency is (P - 1) g + 2 D h + 4 o, D the tree's height. In a barrier every
    other member's message passes its hops to the root, and the release each link of the tree once.
    """
    group = planned(network, members, "tree")
    latency = barrier_ns("udn-stn", len(members), group.longest_path, times)
    level = group.graph.levels(group.graph.port_of(group.route.root)[0])
    inward = sum(int(level[group.graph.port_of(member)[0]]) for member in members)
    return _on_tree(group, members, latency, inward + group.links)


def _on_tree(group: GroupPlan, members: Sequence[Node], latency_ns: float, traversals: int) -> Cost:
    """Return the cost of a scheme that sets the tree of a static network up."""
    graph = group.graph
    switches = {graph.port_of(group.route.root)[0], *(switch for switch, _ in group.edges or ())}
    return Cost(
        setup_messages=len(switches - {graph.port_of(member)[0] for member in members}),
        setup_nodes=len(switches),
        height=group.longest_path,
        latency_ns=latency_ns,
        traversals=traversals,
    )


def planned(network: StaticSpec, members: Sequence[Node], planner: str) -> GroupPlan:
    """Return the plan of a group that is alone on its network, two members or more."""
    group = GroupSpec(id=0, members=tuple(members), planner=planner)
    return plan_static(network, (group,))[0]


@on_all(
    "dissemination",
    "in round k member i signals member (i + 2^k) mod P",
    "paper Reflex, section II",
    times=LogGP,
)
def dissemination(network: AnySpec, members: Sequence[Node], times: LogGP) -> Cost:
    """Return what dissemination barriers cost, by messages of members' software.

    In round k, from 0 to ceil(log2 P) - 1, the i-th of the P members signals the
    ((i + 2^k) mod P)-th, in the order in which they are given. Nothing is set up, for members know
    the group. There is no tree: the height is the rounds. The latency is ``rounds_ns``, of the
    members' own paths. In a barrier all P signals of each round pass their hops.
    """
    between, nodes = _hops_between(network), np.array(members)
    rounds = range((len(nodes) - 1).bit_length())
    hops = np.stack([between(nodes, np.roll(nodes, -(1 << k), axis=0)) for k in rounds])
    return Cost(
        setup_messages=0,
        setup_nodes=0,
        height=len(hops),
        latency_ns=rounds_ns(hops, times),
        traversals=int(hops.sum()),
    )


@on_all(
    "centralized",
    "members count down a variable in memory, and spin on another",
    "paper Reflex, section II",
    times=MemoryLogGP,
)
def centralized(network: AnySpec, members: Sequence[Node], times: MemoryLogGP) -> Cost:
    """Return what centralized barriers cost: a counter in memory, and a flag on which all spin.

    Counter and flag lie with one member, their home: that with the fewest links to all others and
    back; of several, the first. A member counts by one access there and back, the nearest first;
    the last one stores the flag, and each of the others reads it once anew. What spinning and the
    coherence of caches send is left out: it depends on both. The home alone is set up, by its own
    member. There is no tree: the height is the P accesses in turn. The latency is ``counter_ns``.
    """
    between, nodes = _hops_between(network), np.array(members)
    there, back = min(
        ((between(nodes, home), between(home, nodes)) for home in nodes),
        key=lambda hops: int((hops[0] + hops[1]).sum()),
    )
    nearest = np.argsort(there + back, kind="stable")
    there, back = there[nearest], back[nearest]
    return Cost(
        setup_messages=0,
        setup_nodes=1,
        height=len(members),
        latency_ns=counter_ns(np.stack([there, back], axis=1), times),
        traversals=int(2 * (there + back)[:-1].sum() + 2 * there[-1] + back[-1]),
    )


def _hops_between(network: AnySpec) -> Callable[[Ints, Ints], Ints]:
    """Return what counts the links from nodes to others, pair by pair; nodes' own are left out.

    Shortest paths on a mesh, which X-Y routes are, and on a static network, whose paper has a
    dynamic one beside it; on an irregular network by its routing tables, or up/down ones. It takes
    two arrays of nodes, shape (n, 2), or (2,) for one node; it returns int64, shape (n,).
    """
    if isinstance(network, IrregularSpec):
        routes = Routes.of(network)
        return lambda sources, targets: routes.hops(
            *np.broadcast_arrays(sources[..., 0], targets[..., 0])
        )
    if not (graph := network.topology.graph).columns:
        away = lru_cache(1024)(graph.levels)

        def hops(sources: Ints, targets: Ints) -> Ints:
            pairs = zip(
                *(end[..., 0].ravel() for end in np.broadcast_arrays(sources, targets)), strict=True
            )
            return np.array([away(int(a))[b] for a, b in pairs], dtype=np.int64)

        return hops
    return lambda sources, targets: np.abs(sources - targets).sum(axis=-1)


@on_routers("wires", "a level up a tree of wires, and a pulse down", "ours")
def wires(network: MessageSpec, members: Sequence[Node], times: LogGP) -> Cost:
    """Return what barriers on wires cost, as if the network had them for this group alone.

    A member's node writes its own unit or, on an irregular network, that of its switch; each router
    of the planner's tree without a member is asked by a message. Nodes touched are all units with a
    slot of the group: routers of the tree and, on an irregular network, the members' node
    interfaces. The latency is 2 D (1 + registers) h + 2 o, D the links from the root to the
    farthest member, a node's own link counted: it is a wire as well. A level up and a pulse down
    pass each link between routers once.
    """
    graph, link = network.topology.graph, 1 + network.link_registers
    tree = least_tree(graph, GroupSpec(id=0, members=tuple(members)), link)
    assert tree is not None  # nothing is taken
    own, routers, edges = graph.own_links, len(tree), len(tree.edges)
    return Cost(
        setup_messages=routers - int((tree.member_count > 0).sum()),
        setup_nodes=routers + own * len(members),
        height=tree.radius,
        latency_ns=wires_ns(tree.reach(link) + own * link, 0, times),
        traversals=2 * edges,
    )


STATIC = (reflex, reflex_tree, udn_stn)
ANYWHERE = (dissemination, centralized, wires)
