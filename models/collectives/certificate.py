"""Lower bounds, why they hold, and whether they do: the arguments as data, counted anew.

A bound is verified by its argument alone, with none of the searches that find bounds. What each
argument proves stands at its class, and in docs/schedules.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import Counter
from dataclasses import asdict, dataclass
from functools import cache
from inspect import signature
from itertools import accumulate
from typing import Any, ClassVar, Literal, Self

import numpy as np
from networkx import DiGraph, set_edge_attributes, single_source_dijkstra_path_length
from numpy.typing import NDArray
from pydantic import ConfigDict

from syncfabric.models.collectives.task import Task

Side = tuple[int, ...]
Channels = tuple[tuple[int, int], ...]

_VERTICES = ("node", "side", "origin", "source", "destination")
"""What fields are called that hold a vertex, or some."""


class _WrongError(Exception):
    """An argument is about no such task."""


@dataclass(frozen=True)
class _Argument(ABC):
    """Why there are not fewer steps."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")
    CHANNELS: ClassVar[str] = ""
    """Where its channels lead."""
    WORDS: ClassVar[str] = ""
    """What it says, with names of what ``_said`` returns."""
    OVER: ClassVar[tuple[str, ...]] = ()
    """Of these names an amount, and how much of it can be done in a step."""

    @property
    def vertices(self) -> Side:
        """The vertices that it is about."""
        said = [getattr(self, name, ()) for name in _VERTICES]
        return tuple(v for one in said for v in (one if isinstance(one, tuple) else (one,)))

    def words(self) -> str:
        """Say it in one line."""
        return self.WORDS.format(**self._said())

    @property
    def steps(self) -> int:
        """The steps that it proves, if its numbers are right."""
        return self._steps()

    @classmethod
    def of(cls, task: Task, *about: Any) -> Self:
        """Return what is to be said of a node, a set or so of a task not to be turned round."""
        found: Self = cls._count(task, *about)
        return found

    def _said(self) -> dict[str, Any]:
        """Return the fields; of sets their sizes."""
        return {k: len(v) if isinstance(v, tuple) else v for k, v in vars(self).items()}

    def _steps(self) -> int:
        said = self._said()
        # None of a formula, and of a proof that is not here.
        return _over(*(said[name] for name in self.OVER)) if self.OVER else 0

    @classmethod
    @abstractmethod
    def _count(cls, task: Task, *about: Any) -> Any: ...

    def wrong(self, task: Task) -> str | None:
        """Return what it counts wrong, or None."""
        about = [*signature(self._count).parameters][1:]
        try:
            again = self.of(task, *(getattr(self, name) for name in about))
        except _WrongError as error:
            return str(error)
        for name, counted in vars(again).items():
            said = getattr(self, name)
            if name == "channels" and set(said) != set(counted):
                return f"these are not the channels {self.CHANNELS} the set"
            if name == "informed" and said != counted:
                return f"at most {counted} are informed"
            if name != "channels" and said != counted:
                return f"it counts {said} where there are {counted}"
        return None


@dataclass(frozen=True)
class PortCount(_Argument):
    """A node must inject (``out``) or eject (``in``) so many messages, so many a step."""

    node: int
    way: Literal["in", "out"]
    messages: int
    ports: int
    kind: Literal["ports"] = "ports"
    WORDS = "node {node} must {verb} {messages} messages, {ports} a step"
    OVER = "messages", "ports"

    def _said(self) -> dict[str, Any]:
        return {**super()._said(), "verb": "eject" if self.way == "in" else "inject"}

    @classmethod
    def _count(cls, task: Task, node: int, way: Literal["in", "out"]) -> PortCount:
        if way == "out" and task.collective.broadcast:
            raise _WrongError("a node need not inject what others can pass on")
        near = task.topology.sources if way == "in" else task.topology.successors
        ends = task.collective.pair_array()[:, 1 if way == "in" else 0]
        ports = task.rules.at_most(len(near[node]))
        return cls(node, way, int((ends == node).sum()), ports)


@dataclass(frozen=True)
class Cut(_Argument):
    """So many messages must leave a set of vertices, by these channels, one each a step."""

    side: Side
    channels: Channels
    messages: int
    exact: bool
    """Whether all cuts between routers were tried, not only likely ones."""
    kind: Literal["cut"] = "cut"
    CHANNELS = "out of"
    WORDS = "{messages} messages must leave {side} vertices by {channels} channels ({found})"
    OVER = "messages", "channels"

    def _said(self) -> dict[str, Any]:
        found = "best of all cuts" if self.exact else "best cut found"
        return {**super()._said(), "found": found}

    @classmethod
    def _count(cls, task: Task, side: Side, exact: bool) -> Cut:
        inside = _inside(task, side)
        origins, targets = task.collective.pair_array().T
        leaving = origins[inside[origins] & ~inside[targets]].tolist()
        messages = len(set(leaving) if task.collective.broadcast else leaving)
        channels = _between(task, inside, ~inside)
        return cls(side, channels, messages, exact)


@dataclass(frozen=True)
class Distance(_Argument):
    """The least hops of all messages together, and how many a step can be made."""

    hops: int
    capacity: int
    kind: Literal["distance"] = "distance"
    WORDS = "the messages take {hops} hops together, {capacity} a step at most"
    OVER = "hops", "capacity"

    @classmethod
    def _count(cls, task: Task) -> Distance:
        if task.collective.broadcast:
            raise _WrongError("a broadcast need not go the whole path for each receiver")
        origins, targets = task.collective.pair_array().T
        hops = int(task.topology.distances[origins, targets].sum(dtype=int))
        capacity = len(task.topology.channels)
        if task.hop_by_hop:
            capacity = sum(task.rules.at_most(len(out)) for out in task.topology.successors)
        return cls(hops, capacity)


@dataclass(frozen=True)
class Load(_Argument):
    """A distance sum with weights: every path of a message weighs at least so much.

    In a step the paths weigh no more than all channels together.
    """

    weights: tuple[tuple[int, int, int], ...]
    """Channels and their weights, as [from, to, weight]; others weigh nothing."""
    total: int
    """Sum over all messages of the weight of the lightest path that it may take."""
    minimal: bool
    """Whether only shortest paths were weighed."""
    kind: Literal["load"] = "load"
    WORDS = (
        "on {weights} channels the {paths} of the messages weigh {total} at least, {whole} a step "
        "at most"
    )
    OVER = "total", "whole"

    def _said(self) -> dict[str, Any]:
        whole = sum(weight for *_, weight in self.weights)
        paths = "shortest paths" if self.minimal else "paths"
        return {**super()._said(), "paths": paths, "whole": whole}

    @classmethod
    def _count(cls, task: Task, weights: tuple[tuple[int, int, int], ...], minimal: bool) -> Load:
        if task.collective.broadcast:
            raise _WrongError("a broadcast need not go the whole path for each receiver")
        if minimal and not task.minimal:
            raise _WrongError("it is about shortest paths, but longer ones may be taken")
        weight = {(a, b): w for a, b, w in weights}
        if min(weight.values(), default=0) < 0 or not weight.keys() <= task.topology.number.keys():
            raise _WrongError("a weight is negative, or of no channel")
        # A hop that is worth more than all weights lets only shortest paths count.
        hop = sum(weight.values()) + 1
        graph = DiGraph(task.topology.channels)
        cost = {(a, b): weight.get((a, b), 0) + (hop if minimal else 0) for a, b in graph.edges}
        set_edge_attributes(graph, cost, "weight")
        lightest = cache(lambda source: single_source_dijkstra_path_length(graph, source))
        total = sum(int(lightest(a)[b]) % hop for a, b in task.collective.pairs)
        return cls(weights, total, minimal)


@dataclass(frozen=True)
class Growth(_Argument):
    """From one origin no more than so many nodes can be informed after 0, 1, … steps."""

    origin: int
    informed: tuple[int, ...]
    needed: int
    """Nodes that are to be informed in the end, the origin included."""
    kind: Literal["growth"] = "growth"
    WORDS = "from node {origin} at most {reached} nodes of {needed} are informed"

    def _said(self) -> dict[str, Any]:
        return {**super()._said(), "reached": ", ".join(map(str, self.informed))}

    def _steps(self) -> int:
        return len(self.informed) - 1

    @classmethod
    def _count(cls, task: Task, origin: int) -> Growth:
        if not task.collective.broadcast or origin not in task.collective.senders:
            raise _WrongError("it is about a sender of a broadcast")
        nodes, needed = task.topology.nodes, len({origin, *task.collective.receivers})
        own = task.copies(origin)
        others = sorted((task.copies(v) for v in range(nodes) if v != origin), reverse=True)
        sent = [0, *accumulate(others)]
        far = sorted(task.topology.distances[origin, :nodes].tolist())
        informed = [1]
        while informed[-1] < needed:
            now = informed[-1]
            after = min(nodes, now + own + sent[now - 1])
            if task.hop_by_hop:
                after = min(after, bisect_right(far, len(informed)))
            informed.append(after)
        return cls(origin, tuple(informed), needed)


@dataclass(frozen=True)
class Farthest(_Argument):
    """A message must make so many hops, one a step."""

    source: int
    destination: int
    hops: int
    kind: Literal["farthest"] = "farthest"
    WORDS = "from node {source} to node {destination} it is {hops} hops"

    def _steps(self) -> int:
        return self.hops

    @classmethod
    def _count(cls, task: Task, source: int, destination: int) -> Farthest:
        if not task.hop_by_hop:
            raise _WrongError("only store and forward on direct networks takes a step a hop")
        if (source, destination) not in task.collective.pairs:
            raise _WrongError("there is no such message")
        return cls(source, destination, int(task.topology.distances[source, destination]))


@dataclass(frozen=True)
class Start(_Argument):
    """The receivers inside a set of vertices cannot all be served from the first step on.

    In the first step only the origins have anything to send.
    """

    side: Side
    channels: Channels
    """Those into the set."""
    messages: int
    """What the receivers inside must get together."""
    first: int
    """What they can get at most in the first step."""
    each: int
    """What they can get at most in each other."""
    kind: Literal["start"] = "start"
    CHANNELS = "into"
    WORDS = (
        "receivers behind {channels} channels must get {messages} messages: at most {first} in step"
        " 1, {each} in each other"
    )

    def _steps(self) -> int:
        return 1 + _over(max(0, self.messages - self.first), self.each)

    @classmethod
    def _count(cls, task: Task, side: Side) -> Start:
        if not task.collective.broadcast or task.shares:
            raise _WrongError("it is about broadcasts whose copies share no channel")
        topology, rules, inside = task.topology, task.rules, _inside(task, side)
        channels = _between(task, ~inside, inside)
        receivers = [r for r in task.collective.receivers if inside[r]]
        senders = [s for s in task.collective.senders if inside[s]]
        messages = int(inside[task.collective.pair_array()[:, 1]].sum())
        each = sum(rules.at_most(len(topology.sources[r])) for r in receivers)
        own = sum(rules.copies(len(topology.successors[s])) for s in senders)
        return cls(side, channels, messages, min(each, len(channels) + own), each)


@dataclass(frozen=True)
class Relays(_Argument):
    """So many transfers of a broadcast, hop by hop, can only be made by a set of nodes.

    They are those of an origin to a receiver to which the path leads, for the last hop, through a
    node of the set, whichever path the message takes.
    """

    side: Side
    messages: int
    each: int
    """What the nodes of the set can send together in a step."""
    kind: Literal["relays"] = "relays"
    WORDS = (
        "{messages} messages must have their last hop from one of {side} nodes, which send {each} a"
        " step together"
    )
    OVER = "messages", "each"

    @classmethod
    def _count(cls, task: Task, side: Side) -> Relays:
        if not task.collective.broadcast or not task.hop_by_hop:
            raise _WrongError("it is about broadcasts hop by hop")
        messages = sum(many for near, many in last_senders(task).items() if near <= set(side))
        return cls(side, messages, sum(task.copies(node) for node in set(side)))


@dataclass(frozen=True)
class Paper(_Argument):
    """What Table 1 of paper EVO says; it proves nothing."""

    formula: str
    kind: Literal["paper"] = "paper"
    WORDS = "paper's Table 1: {formula}"

    @classmethod
    def _count(cls, task: Task) -> Paper:
        raise _WrongError("a formula of the paper proves nothing")


@dataclass(frozen=True)
class Solver(_Argument):
    """A solver found that one step fewer is infeasible; ``check`` cannot decide without it."""

    solver: str
    """Name and version."""
    proof: str
    """Where its log is, or what it said."""
    kind: Literal["solver"] = "solver"
    WORDS = "{solver}: infeasible with one step fewer ({proof})"

    @classmethod
    def _count(cls, task: Task) -> Solver:
        raise _WrongError("a solver's proof cannot be checked without the solver")


Argument = PortCount | Cut | Distance | Load | Growth | Farthest | Start | Relays | Paper | Solver


@dataclass(frozen=True)
class Bound:
    """A number of steps that every schedule takes at least, and why.

    The arguments of AOG, AOR and AAR are about their time reversal, with every channel turned
    round.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")
    value: int
    argument: Argument

    @property
    def proves(self) -> bool:
        """Whether ``verify`` can decide if it holds."""
        return not isinstance(self.argument, Paper | Solver)

    @classmethod
    def by(cls, argument: Argument) -> Bound:
        """Return what an argument proves."""
        return cls(argument.steps, argument)

    def to_json(self) -> dict[str, Any]:
        """Return the bound as a schedule file holds it."""
        return {"value": self.value, "argument": asdict(self.argument)}


def best(bounds: list[Bound]) -> Bound | None:
    """Return the greatest of the bounds that prove something."""
    return max((bound for bound in bounds if bound.proves), key=lambda b: b.value, default=None)


def last_senders(task: Task) -> Counter[frozenset[int]]:
    """Return how many messages of a broadcast have their last hop from one of the same nodes."""
    topology, hops = task.topology, task.topology.distances.tolist()
    return Counter(
        frozenset(
            near
            for near in topology.sources[target]
            if hops[origin][near] < hops[origin][target] + task.extra
        )
        for origin, target in task.collective.pairs
    )


def verify(task: Task, bound: Bound) -> str | None:
    """Return what is wrong with a bound's argument, or None if it proves the bound of a task."""
    forward = task.forward()
    for vertex in bound.argument.vertices:
        if not 0 <= vertex < forward.topology.vertices:
            return f"{vertex} is not in the topology"
    if (wrong := bound.argument.wrong(forward)) is not None:
        return wrong
    proved = bound.argument.steps
    return None if proved >= bound.value else f"it proves {proved}, not {bound.value}"


def _inside(task: Task, side: Side) -> NDArray[np.bool_]:
    """Return which vertices are in a set."""
    return np.isin(np.arange(task.topology.vertices), side)


def _between(task: Task, tails: NDArray[np.bool_], heads: NDArray[np.bool_]) -> Channels:
    """Return the channels from one set of vertices to another."""
    return tuple((a, b) for a, b in task.topology.channels if tails[a] and heads[b])


def _over(amount: int, a_step: int) -> int:
    """Return the steps that an amount takes; none if nothing limits it."""
    return -(-amount // a_step) if a_step else 0
