"""Lower bounds on the steps of a collective, each with an argument that can be checked."""

from collections import Counter
from collections.abc import Callable
from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from syncfabric.models.collectives.certificate import (
    Bound,
    Cut,
    Distance,
    Farthest,
    Growth,
    Load,
    Paper,
    PortCount,
    Relays,
    Start,
    last_senders,
)
from syncfabric.models.collectives.clock import TimeUpError, tick
from syncfabric.models.collectives.cuts import Routers, bisection, candidates, crossing
from syncfabric.models.collectives.flows import SCALES, fewest, flow_prices, flows
from syncfabric.models.collectives.task import Task
from syncfabric.models.errors import PlanError

_SEARCHED, _HALVED = 200, 1100
"""Routers up to which cuts are searched, of broadcasts and of scatters; beyond, distances and ports
say as much, but where routers differ, as on meshes."""
_MOST_FLOWS = 15_000
"""Flows (senders times channels) up to which the load is relaxed."""
_MOST_SHARED, _MOST_COLUMNS = 20_000, 5_000
"""Messages, and columns of the linear program, up to which it is asked who must relay them.
Networks that look alike everywhere have more, and gain nothing."""


def lower_bounds(task: Task) -> list[Bound]:
    """Return lower bounds on the steps, the greatest first, the paper's formula last.

    Of each kind of argument the best that is found. They are not more than what is proved: a
    schedule may need more steps still.

    Parameters
    ----------
    task : Task
        For AOG, AOR and AAR the bounds are those of the time reversal.

    Raises
    ------
    PlanError
        There is nothing to send.
    """
    return bounds_in_time(task)[0]


def bounds_in_time(task: Task) -> tuple[list[Bound], tuple[str, ...]]:
    """Return what ``lower_bounds`` returns, and the kinds that were cut off by a search's clock.

    Those of ports, which take no time, are always there.
    """
    if task.collective.demand == 0:
        raise PlanError(f"collective {task.collective.name}: there is nothing to send")
    forward = task.forward()
    found, cut_off = [_ports(forward)], list[str]()
    methods = _BROADCAST if forward.collective.broadcast else _SCATTER
    for kind, method in {**methods, "farthest": _farthest, "paper": paper_bound}.items():
        try:
            bound = method(forward)
        except TimeUpError:
            cut_off.append(kind)
        else:
            found += [bound] if bound is not None else []
    return sorted(found, key=lambda b: (b.argument.kind == "paper", -b.value)), tuple(cut_off)


def paper_bound(task: Task) -> Bound | None:
    """Return what Table 1 says of OAB, OAS, AAB and AAS, or of what they are in reverse.

    k is the ports of the sender in a scatter from one, the most of any node in a broadcast from
    one, else the least; B the channels of the bisection, in both directions.
    """
    task = task.forward()
    kind, topology = task.collective.kind, task.topology
    if kind not in ("OAB", "OAS", "AAB", "AAS"):
        return None
    p = topology.nodes
    ports = [task.rules.at_most(len(out)) for out in topology.successors[:p]]
    k = {"OAS": ports[task.collective.senders[0]], "OAB": max(ports)}.get(kind, min(ports))
    steps = next(s for s in range(p + 1) if (k + 1) ** s >= p)
    each = ceil((p - 1) / k)
    if kind == "OAB":
        return Bound(steps, Paper(f"log_{k + 1} {p}"))
    if kind == "OAS":
        return Bound(each, Paper(f"({p} - 1) / {k}"))
    if kind == "AAB":
        return Bound(max(steps, each), Paper(f"max(log_{k + 1} {p}, ({p} - 1) / {k})"))
    wide, sure = bisection(topology)
    if wide is None:
        return None
    said = f"max({p}² / (2 · {wide}), ({p} - 1) / {k})"
    halves = "" if sure else f", {wide} being the best bisection found"
    return Bound(max(ceil(p * p / (2 * wide)), each), Paper(said + halves))


def _ports(task: Task) -> Bound:
    """Count what each node must eject, and in a scatter inject."""
    topology, pairs = task.topology, task.collective.pair_array()
    ends = [("in", 1, topology.sources)]
    if not task.collective.broadcast:
        ends.append(("out", 0, topology.successors))
    found = []
    for side, end, near in ends:
        messages = np.bincount(pairs[:, end], minlength=topology.nodes).tolist()
        for node, many in enumerate(messages):
            found.append((-(-many // task.rules.at_most(len(near[node]))), side, node))
    _, side, node = max(found, key=lambda each: each[0])
    return Bound.by(PortCount.of(task, node, "in" if side == "in" else "out"))


def _cut(task: Task) -> Bound | None:
    """Find the cut that takes the most steps to cross."""
    routers = Routers.of(task.topology)
    most = _SEARCHED if task.collective.broadcast else _HALVED
    if not 2 <= len(routers.vertices) <= most:
        return None
    channels, crossed = routers.channels(), _crossed(task, routers)

    def ratio(sets: NDArray[np.bool_]) -> NDArray[np.float64]:
        return crossed(sets) / np.maximum(crossing(sets, channels), 1)

    sets = candidates(routers, ratio)
    steps = np.ceil(ratio(sets) - 1e-9)
    # Of those that prove the most, the one with the fewest channels.
    place = int(np.lexsort((crossing(sets, channels), -steps))[0])
    return Bound.by(Cut.of(task, routers.side(sets[place]), routers.exact))


def _crossed(task: Task, routers: Routers) -> Callable[[NDArray[np.bool_]], NDArray[np.float64]]:
    """Return from sets to the messages that must leave each of them."""
    if not task.collective.broadcast:
        pairs = routers.matrix(task.collective.pair_array())
        return lambda sets: crossing(sets, pairs)
    senders = routers.count(task.collective.senders)
    receivers = routers.count(task.collective.receivers)
    return lambda sets: (sets @ senders) * ((~sets) @ receivers > 0)


def _growth(task: Task) -> Bound:
    topology, known = task.topology, dict[tuple[int, ...], Bound]()
    receivers = set(task.collective.receivers)
    for origin in task.collective.senders:
        hops = sorted(topology.distances[origin, : topology.nodes].tolist())
        # What may spread alike need not be reckoned twice.
        alike = (task.copies(origin), origin in receivers, *hops)
        if alike not in known:
            known[alike] = Bound.by(Growth.of(task, origin))
    return max(known.values(), key=lambda bound: bound.value)


def _start(task: Task) -> Bound | None:
    """Find receivers that cannot all be served in the first step."""
    routers = Routers.of(task.topology)
    if task.shares or not 2 <= len(routers.vertices) <= _SEARCHED:
        return None
    topology, rules = task.topology, task.rules
    channels = routers.channels()
    messages, each, own = (np.zeros(topology.vertices) for _ in range(3))
    np.add.at(messages, task.collective.pair_array()[:, 1], 1)
    for receiver in task.collective.receivers:
        each[receiver] = rules.at_most(len(topology.sources[receiver]))
    for sender in task.collective.senders:
        own[sender] = rules.copies(len(topology.successors[sender]))
    homes = np.zeros((topology.vertices, len(routers.vertices)))
    homes[np.arange(topology.vertices), routers.home] = 1
    messages, each, own = (values @ homes for values in (messages, each, own))

    def steps(sets: NDArray[np.bool_]) -> NDArray[np.float64]:
        first = np.minimum(sets @ each, crossing(sets, channels.T) + sets @ own)
        rest = np.maximum(sets @ messages - first, 0)
        found: NDArray[np.float64] = 1 + rest / np.maximum(sets @ each, 1)
        return np.where(sets @ messages > 0, found, 0)

    sets = candidates(routers, steps)
    whole = np.ceil(steps(sets) - 1e-9)
    place = int(np.lexsort((crossing(sets, channels.T), -whole))[0])
    return Bound.by(Start.of(task, routers.side(sets[place])))


def _farthest(task: Task) -> Bound | None:
    if not task.hop_by_hop:
        return None
    pairs = task.collective.pair_array()
    hops = task.topology.distances[pairs[:, 0], pairs[:, 1]]
    source, target = pairs[hops.argmax()].tolist()
    return Bound.by(Farthest.of(task, source, target))


def _load(task: Task) -> Bound | None:
    """Find the greatest load that no choice of paths avoids; None where it would take too long.

    The flow of each sender may split over its paths. The least possible load of the most loaded
    channel is a linear program; the prices of its channels, as whole numbers, are weights whose
    distance sum is exact again.
    """
    sources = sorted({source for source, _ in task.collective.pairs})
    if len(sources) * len(task.topology.channels) > _MOST_FLOWS:
        return None
    prices = flow_prices(task.topology, *flows(task))
    if prices is None or not prices.max() > 0:
        return None
    found: list[Bound] = []
    for scale in SCALES:
        tick()
        whole = (prices / prices.max() * scale).round().astype(int).tolist()
        ends = zip(task.topology.channels, whole, strict=True)
        weights = tuple((a, b, weight) for (a, b), weight in ends if weight)
        found.append(Bound.by(Load.of(task, weights, task.minimal)))
    # The simplest weights of those that prove the most.
    return max(found, key=lambda bound: bound.value)


def _relays(task: Task) -> Bound | None:
    """Find the set of nodes that must send most for what it can send in a step.

    Each message to a receiver comes from one of some nodes. That no node sends more in all steps
    than it can is a linear program: the least steps for which the messages can be shared out. The
    nodes with the highest prices are the set. None if transfers do not go hop by hop, or it would
    take too long.
    """
    if not task.hop_by_hop or not 0 < task.collective.demand <= _MOST_SHARED:
        return None
    shares = last_senders(task)
    if sum(map(len, shares)) > _MOST_COLUMNS:
        return None
    prices = _node_prices(shares, [task.copies(node) for node in range(task.topology.nodes)])
    found = []
    for least in sorted({price for price in prices if price > 0}):
        tick()
        side = tuple(node for node, price in enumerate(prices) if price >= least)
        found.append(Bound.by(Relays.of(task, side)))
    # Of those that prove the most, the one with the fewest nodes.
    return max(found, key=lambda bound: (bound.value, -len(bound.argument.vertices)), default=None)


def _node_prices(shares: Counter[frozenset[int]], each: list[int]) -> list[float]:
    """Return what the capacity of each node is worth in the linear program."""
    # A column is what a node sends of a share.
    sent = [(share, node) for share, nodes in enumerate(shares) for node in sorted(nodes)]
    share, node = np.array(sent).T
    columns, ones = np.arange(len(sent)), np.ones(len(sent))
    load = csr_array((ones, (node, columns)), shape=(len(each), len(sent)))
    kept = csr_array((ones, (share, columns)), shape=(len(shares), len(sent)))
    found = fewest(load, np.array(each), kept, np.array([*shares.values()]))
    return [] if found is None else found[1].round(9).tolist()


_BROADCAST = {"cut": _cut, "growth": _growth, "start": _start, "relays": _relays}
_SCATTER = {"cut": _cut, "distance": lambda task: Bound.by(Distance.of(task)), "load": _load}
"""Kinds of arguments, and how each is found."""
