"""Why there are not fewer steps: the arguments of lower bounds, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import ConfigDict

__all__ = [
    "Argument",
    "Cut",
    "Distance",
    "Farthest",
    "Growth",
    "Load",
    "Paper",
    "PortCount",
    "Relays",
    "Solver",
    "Start",
]

_CONFIG = ConfigDict(extra="forbid")

Side = tuple[int, ...]
Channels = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class PortCount:
    """A node must inject (``out``) or eject (``in``) so many messages, so many a step."""

    __pydantic_config__: ClassVar[ConfigDict] = _CONFIG
    node: int
    way: Literal["in", "out"]
    messages: int
    ports: int
    kind: Literal["ports"] = "ports"

    def words(self) -> str:
        """Say it in one line."""
        verb = "eject" if self.way == "in" else "inject"
        return f"node {self.node} must {verb} {self.messages} messages, {self.ports} a step"


@dataclass(frozen=True)
class Cut:
    """So many messages must leave a set of vertices, by these channels, one each a step."""

    __pydantic_config__: ClassVar[ConfigDict] = _CONFIG
    side: Side
    channels: Channels
    messages: int
    exact: bool
    """Whether all cuts between routers were tried, not only likely ones."""
    kind: Literal["cut"] = "cut"

    def words(self) -> str:
        """Say it in one line."""
        found = "best of all cuts" if self.exact else "best cut found"
        return (
            f"{self.messages} messages must leave {len(self.side)} vertices "
            f"by {len(self.channels)} channels ({found})"
        )


@dataclass(frozen=True)
class Distance:
    """The least hops of all messages together, and how many a step can be made."""

    __pydantic_config__: ClassVar[ConfigDict] = _CONFIG
    hops: int
    capacity: int
    kind: Literal["distance"] = "distance"

    def words(self) -> str:
        """Say it in one line."""
        return f"the messages take {self.hops} hops together, {self.capacity} a step at most"


@dataclass(frozen=True)
class Load:
    """A distance sum with weights: every path of a message weighs at least so much.

    In a step the paths weigh no more than all channels together.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _CONFIG
    weights: tuple[tuple[int, int, int], ...]
    """Channels and their weights, as [from, to, weight]; others weigh nothing."""
    total: int
    """Sum over all messages of the weight of the lightest path that it may take."""
    minimal: bool
    """Whether only shortest paths were weighed."""
    kind: Literal["load"] = "load"

    def words(self) -> str:
        """Say it in one line."""
        whole = sum(weight for *_, weight in self.weights)
        paths = "shortest paths" if self.minimal else "paths"
        return (
            f"on {len(self.weights)} channels the {paths} of the messages weigh {self.total} "
            f"at least, {whole} a step at most"
        )


@dataclass(frozen=True)
class Growth:
    """From one origin no more than so many nodes can be informed after 0, 1, … steps."""

    __pydantic_config__: ClassVar[ConfigDict] = _CONFIG
    origin: int
    informed: tuple[int, ...]
    needed: int
    """Nodes that are to be informed in the end, the origin included."""
    kind: Literal["growth"] = "growth"

    def words(self) -> str:
        """Say it in one line."""
        reached = ", ".join(map(str, self.informed))
        return f"from node {self.origin} at most {reached} nodes of {self.needed} are informed"


@dataclass(frozen=True)
class Farthest:
    """A message must make so many hops, one a step."""

    __pydantic_config__: ClassVar[ConfigDict] = _CONFIG
    source: int
    destination: int
    hops: int
    kind: Literal["farthest"] = "farthest"

    def words(self) -> str:
        """Say it in one line."""
        return f"from node {self.source} to node {self.destination} it is {self.hops} hops"


@dataclass(frozen=True)
class Start:
    """The receivers inside a set of vertices cannot all be served from the first step on.

    In the first step only the origins have anything to send.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _CONFIG
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

    def words(self) -> str:
        """Say it in one line."""
        return (
            f"receivers behind {len(self.channels)} channels must get {self.messages} messages: "
            f"at most {self.first} in step 1, {self.each} in each other"
        )


@dataclass(frozen=True)
class Relays:
    """So many transfers of a broadcast, hop by hop, can only be made by a set of nodes.

    They are those of an origin to a receiver to which the way leads, for the last hop, through a
    node of the set, whichever way the message takes.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _CONFIG
    side: Side
    messages: int
    each: int
    """What the nodes of the set can send together in a step."""
    kind: Literal["relays"] = "relays"

    def words(self) -> str:
        """Say it in one line."""
        return (
            f"{self.messages} messages must have their last hop from one of {len(self.side)} "
            f"nodes, which send {self.each} a step together"
        )


@dataclass(frozen=True)
class Paper:
    """What Table 1 of paper EVO says; it proves nothing."""

    __pydantic_config__: ClassVar[ConfigDict] = _CONFIG
    formula: str
    kind: Literal["paper"] = "paper"

    def words(self) -> str:
        """Say it in one line."""
        return f"paper's Table 1: {self.formula}"


@dataclass(frozen=True)
class Solver:
    """A solver found that one step fewer is infeasible; ``check`` cannot tell without it."""

    __pydantic_config__: ClassVar[ConfigDict] = _CONFIG
    solver: str
    """Name and version."""
    proof: str
    """Where its log is, or what it said."""
    kind: Literal["solver"] = "solver"

    def words(self) -> str:
        """Say it in one line."""
        return f"{self.solver}: infeasible with one step fewer ({self.proof})"


Argument = PortCount | Cut | Distance | Load | Growth | Farthest | Start | Relays | Paper | Solver
