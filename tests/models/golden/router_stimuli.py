"""Random stimuli of a router, legal and illegal, that follow its golden model."""

import random
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from syncfabric.models.golden.router import (
    Adaptive,
    Channel,
    Dimension,
    Flit,
    Pairs,
    Router,
    Routing,
    Source,
    Table,
)
from syncfabric.models.networks.grid import Grid

MESH = Grid((2, 2), pairs=True)


class RouterOutputs(NamedTuple):
    """What a router drives in a cycle: by output, credits that are high, and flits it drops."""

    links: dict[int, Flit | int]
    credits: set[Channel]
    dropped: int


@dataclass(frozen=True)
class RouterBuild:
    """Parameters of a router, R1.

    Attributes
    ----------
    kind : {"dimension", "adaptive", "table", "source"}
    pairs : Pairs
        Of ``table`` and ``source``.
    grid : Grid
        Of ``dimension`` and ``adaptive``, with ``place`` and ``own``.
    place : tuple of int
        Coordinates.
    own : bool
        The last port is the process's.
    ordinary : int
        Channels to which datelines apply; all if it is 0.
    number : int
        Of ``table``: this router's.
    routes : tuple of int
        Of ``table``: the output for each router.
    datelines : frozenset of int
        Outputs at which packets change channels.
    messages : bool
        Links carry messages of one bit, as shared ones do.
    """

    ports: int
    channels: int
    buffer_flits: int
    flit_bits: int
    kind: str
    output_register: bool
    pairs: Pairs
    grid: Grid = MESH
    place: tuple[int, ...] = (0, 0)
    own: bool = True
    number: int = 0
    routes: tuple[int, ...] = ()
    datelines: frozenset[int] = frozenset()
    messages: bool = True
    ordinary: int = 0

    @property
    def escapes(self) -> int:
        return (2 if self.datelines else 1) if self.kind == "adaptive" else 0

    @property
    def routing(self) -> Routing:
        if self.kind == "adaptive":
            shape = self.grid, self.place, self.ports
            return Adaptive(*shape, own=self.own, escapes=self.escapes)
        if self.kind == "dimension":
            return Dimension(self.grid, self.place, self.ports, own=self.own)
        if self.kind == "table":
            return Table(self.ports, self.pairs, self.number, self.routes)
        return Source(self.ports, self.pairs)

    @property
    def router(self) -> Router[int]:
        return Router(
            self.ports,
            self.channels,
            self.buffer_flits,
            self.routing,
            output_register=self.output_register,
            datelines=self.datelines or None,
            ordinary=self.ordinary,
        )


def draw_router(rng: random.Random, kind: str | None = None) -> RouterBuild:
    """Draw parameters, small ones often."""
    kind = kind or rng.choice(("dimension", "dimension", "adaptive", "table", "source"))
    grid, own = draw_grid(rng), rng.random() < 0.5
    ports = rng.choice((2, 3, 4, 5, 6, 8, 16))
    by_grid = kind in ("dimension", "adaptive")
    if by_grid:
        ports = grid.ports + rng.choice((1, 1, 1 if own else 3))
    outputs = {i: sorted(rng.sample(range(ports), rng.randint(1, ports))) for i in range(ports)}
    routers = rng.choice((1, 2, 3, 7, 16, 40)) if kind == "table" else 0
    channels = rng.choice((1, 1, 2, 3, 4, 5))
    ordinary = channels - channels % 2 if channels > 1 else 0
    if kind == "adaptive":
        channels = rng.choice((2, 3, 4, 5))
        ordinary = channels - rng.getrandbits(1) if channels > 2 else 0
    lines = rng.choice((0.0, 0.3, 1.0)) if ordinary > 2 * (kind == "adaptive") else 0.0
    place = tuple(rng.randrange(side) for side in grid.sides)
    routing = Adaptive if kind == "adaptive" else Dimension
    pairs = routing(grid, place, ports, own=own).pairs if by_grid else outputs
    return RouterBuild(
        ports,
        channels,
        rng.choice((1, 2, 3, 4, 4, 8, 16)),
        rng.choice((16, 32, 128)),
        kind,
        rng.random() < 0.4,
        pairs,
        grid,
        place,
        own,
        rng.randrange(routers or 1),
        tuple(rng.randrange(ports) for _ in range(routers)),
        frozenset(o for o in range(ports) if rng.random() < lines),
        rng.random() < 0.5,
        ordinary,
    )


def draw_grid(rng: random.Random) -> Grid:
    """Draw a mesh or torus of one to four dimensions."""
    if rng.random() < 0.3:
        return Grid((rng.choice((1, 2, 4, 7)), rng.choice((1, 3, 8))), pairs=True)
    sides = rng.choices((2, 2, 3, 4, 5, 7, 8, 16), k=rng.randint(1, 4))
    return Grid(tuple(sides), wraps=rng.random() < 0.7)


class RouterInputs(NamedTuple):
    """Inputs in a cycle: ``messages`` leave by outputs."""

    flits: dict[int, Flit]
    credits: set[Channel]
    messages: dict[int, int]


class RouterStimuli:
    """A golden router, and inputs for it.

    Packets are whole on each channel, one after the other. Illegal are flits without a credit, of
    which those that are dropped count as sent or not, and heads and tails that are not marked, or
    marked where there are none. Left out is what the contract does not define: credits for nothing
    that was sent.

    Parameters
    ----------
    build : RouterBuild
    rng : random.Random

    Attributes
    ----------
    router : Router
    seen : Counter of str
        What has happened.
    """

    def __init__(self, build: RouterBuild, rng: random.Random) -> None:
        self.build, self.rng, self.router = build, rng, build.router
        self.busy = rng.choice((0.1, 0.5, 0.9))
        self.drain = rng.choice((0.2, 0.6, 1.0))
        self.wrong = rng.choice((0.0, 0.05, 0.5))
        self.holds = rng.choice((0.0, 0.1, 0.5)) if build.messages else 0.0
        self.longest = rng.choice((1, 2, 6))
        inputs = [(i, c) for i in range(build.ports) for c in range(build.channels)]
        self.left = dict.fromkeys(inputs, 0)  # flits of the packet that is open
        self.owed = dict.fromkeys(inputs, 0)  # flits that left by an output, without a credit yet
        self.seen = Counter[str]()

    def inputs(self) -> RouterInputs:
        """Draw the inputs of a cycle."""
        rng, build = self.rng, self.build
        flits = {}
        for i in range(build.ports):
            c = rng.randrange(build.channels)
            if rng.random() < self.busy and (self.may_send(i, c) or rng.random() < self.wrong):
                flits[i] = self.flit(i, c)
        credits = {at for at, owed in self.owed.items() if owed and rng.random() < self.drain}
        outputs = range(build.ports - 1)  # the last one is the process's
        messages = {o: rng.getrandbits(1) for o in outputs if rng.random() < self.holds}
        return RouterInputs(flits, credits, messages)

    def may_send(self, i: int, c: int) -> bool:
        """Whether a sender has a credit; one that is high in this cycle is for the next."""
        in_flight = (i, c) in self.router.freed
        return self.router.held((i, c)) + in_flight < self.build.buffer_flits

    def flit(self, i: int, c: int) -> Flit:
        """Draw the next flit of a channel's packet, or the first of another."""
        payload, left = self.rng.getrandbits(self.build.flit_bits), self.left[i, c]
        if self.build.kind == "table" and self.rng.random() < 0.3:  # to a port of this router
            bits = max(1, (len(self.build.routes) - 1).bit_length())
            payload = payload >> bits << bits | self.build.number
        head, tail = not left, left == 1
        if not left:
            tail = self.rng.randint(1, self.longest) == 1
        if self.rng.random() < self.wrong / 4:
            head = not head
        if self.rng.random() < self.wrong / 4:
            tail = not tail
        return Flit(c, payload, head, tail)

    def step(self, inputs: RouterInputs) -> RouterOutputs:
        """Go through a cycle."""
        for i, flit in inputs.flits.items():
            at = i, flit.channel
            full = self.router.held(at) >= self.build.buffer_flits
            if full and self.rng.random() < 0.5:
                continue
            if self.left[at]:
                self.left[at] -= 1
            elif not flit.tail:
                self.left[at] = self.rng.randint(1, self.longest)
        router, freed = self.router, {*self.router.freed}
        links = router.send(inputs.messages)
        dropped = sum([not router.receive(i, flit) for i, flit in inputs.flits.items()])
        for o, c in inputs.credits:
            router.tokens[o * self.build.channels + c] += 1
        outputs = RouterOutputs(links, freed, dropped)
        for at in inputs.credits:
            self.owed[at] -= 1
        for o, sent in outputs.links.items():
            if isinstance(sent, Flit):
                self.owed[o, sent.channel] += 1
                self.seen["head" if sent.head else "tail" if sent.tail else "body"] += 1
                if self.build.escapes and sent.head and o < self.build.grid.ports:
                    self.seen["adapted" if sent.channel >= self.build.escapes else "escaped"] += 1
            else:
                self.seen["message"] += 1
        self.seen["dropped"] += outputs.dropped
        return outputs
