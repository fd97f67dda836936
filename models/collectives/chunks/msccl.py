"""Programs in MSCCL's XML: a schedule as one, and reading any.

A GPU has thread blocks, each with one peer to send to and one to receive from; a block's steps come
one after the other, and a step can wait for one of another block of its GPU. Source: the XML that
msccl-tools writes (github.com/Azure/msccl-tools, ``msccl/language/ir.py``).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count, pairwise
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from syncfabric.models.collectives.chunks.schedule import (
    CHUNKED,
    Chunked,
    Exchange,
    Schedule,
    needed,
)
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import SpecError

NAMES: dict[str, Chunked] = {kind.replace("-", ""): kind for kind in CHUNKED}
"""The collectives, by what the XML calls them."""
TYPES = {
    "s": "send",
    "r": "receive",
    "rcs": "receive, copy, send",
    "rrc": "receive, reduce, copy",
    "rrs": "receive, reduce, send",
    "rrcs": "receive, reduce, copy, send",
    "cpy": "copy",
    "re": "reduce",
    "nop": "wait",
}
RECEIVING, SENDING = ("r", "rcs", "rrc", "rrs", "rrcs"), ("s", "rcs", "rrs", "rrcs")
REDUCING = ("rrc", "rrs", "rrcs", "re")
MOST_STEPS = 4_000_000


def reads(kind: str) -> bool:
    """Return whether a step reads its source."""
    return kind in ("s", "cpy", *REDUCING)


def writes(kind: str) -> bool:
    """Return whether a step writes its target."""
    return kind not in ("s", "nop", "rrs")


class Place(NamedTuple):
    """A chunk of a buffer: ``i`` of input, ``o`` of output, ``s`` of scratch."""

    buffer: str
    offset: int


@dataclass
class Step:
    """A step of a thread block.

    ``source`` counts where a GPU sends, copies or reduces from its own buffers, and where the own
    operand of what it receives and reduces is; ``target`` where it receives, copies or reduces
    into them. ``re`` reduces both into the target; what ``rrs`` sends is not stored.
    """

    kind: str
    source: Place
    target: Place
    count: int = 1
    after: tuple[int, int] | None = None
    """Block and step of the same GPU that it waits for."""


@dataclass
class Block:
    """A thread block; a peer of -1 is none."""

    send: int
    receive: int
    channel: int = 0
    steps: list[Step] = field(default_factory=list)


@dataclass
class Program:
    """Thread blocks by GPU, which carry out a collective.

    Parameters
    ----------
    name : str
    exchange : Exchange
        Its parts are the chunks of a share, if there are as many of each.
    chunks : int
        Of the longest buffer: of input or output.
    inplace : bool
        Whether output is the input's memory, or the input a part of the output's.
    gpus : list of list of Block
    sizes : dict
        By GPU and buffer, how many chunks there are, where the program says.
    """

    name: str
    exchange: Exchange
    chunks: int
    inplace: bool
    gpus: list[list[Block]]
    sizes: dict[tuple[int, str], int] = field(default_factory=dict)

    @property
    def piece(self) -> Fraction:
        """Bytes of a chunk."""
        return self.exchange.share * shares_of(self.exchange) / self.chunks


def shares_of(exchange: Exchange) -> int:
    """Return the shares of the longest buffer, of input or output."""
    return 1 if exchange.kind in ("broadcast", "reduce") else exchange.ranks


def begins(exchange: Exchange, rank: int) -> list[int]:
    """Return the shares in a rank's input, in its order."""
    return [number for number, share in enumerate(exchange.shares) if rank in share.sources]


def ends(exchange: Exchange, rank: int) -> list[int]:
    """Return the shares in a rank's output, in its order."""
    return [number for number, share in enumerate(exchange.shares) if rank in share.targets]


def program_of(schedule: Schedule) -> Program:
    """Return a schedule as a program: on every GPU a block for each peer, direction and lane.

    A step waits for whatever wrote its chunk last, and what overwrites a chunk for all that have
    read it. So it waits for earlier sends of the schedule alone, and cannot deadlock. Where every
    share is for one rank, input and output are apart, and what is passed on is in scratch.
    """
    exchange = schedule.exchange
    gpus: list[list[Block]] = [[] for _ in range(exchange.ranks)]
    number: dict[tuple[int, int, int, int], int] = {}
    lanes = {path: _lanes(schedule.topology, path) for path in {s.path for s in schedule.sends}}
    sent = dict.fromkeys(lanes, 0)
    # Of each send, blocks and steps at both its ends.
    made = list[tuple[tuple[int, int], tuple[int, int]]]()

    def block(rank: int, send: int, receive: int, lane: int) -> int:
        if (rank, send, receive, lane) not in number:
            number[rank, send, receive, lane] = len(gpus[rank])
            gpus[rank].append(Block(send, receive, lane))
        return number[rank, send, receive, lane]

    places = _personal(schedule) if exchange.personal else {}
    whole = "o" if exchange.kind == "allgather" else "i"

    def add(
        rank: int, nth: int, kind: str, item: int, after: Iterable[tuple[int, int]]
    ) -> tuple[int, int]:
        place = places.get((rank, item)) or Place(whole, item)
        waits = sorted({step for step in after if step[0] != nth})
        steps = gpus[rank][nth].steps
        steps += [Step("nop", place, place, 0, other) for other in waits[:-1]]
        steps.append(Step(kind, place, place, 1, waits[-1] if waits else None))
        return nth, len(steps) - 1

    for (item, path, combine), needs in zip(schedule.sends, needed(schedule.sends), strict=True):
        here, there = path[0], path[-1]
        lane = sent[path] % lanes[path]
        sent[path] += 1
        sender, receiver = block(here, there, -1, lane), block(there, -1, here, lane)
        sent_by = add(here, sender, "s", item, (made[n][1] for n in needs.brought))
        before = [made[n][1] for n in needs.replaced] + [made[n][0] for n in needs.read]
        made.append((sent_by, add(there, receiver, "rrc" if combine else "r", item, before)))
    for rank, blocks in enumerate(gpus if exchange.personal else ()):
        to = {item: n for n, item in enumerate(_items(exchange, ends(exchange, rank)))}
        own = [
            Step("cpy", Place("i", at), Place("o", to[item]))
            for at, item in enumerate(_items(exchange, begins(exchange, rank)))
            if item in to
        ]
        blocks.extend([Block(-1, -1, 0, own)] * bool(own))
    name = f"{exchange.kind}-{schedule.topology.name}"
    chunks = shares_of(exchange) * exchange.parts
    return Program(name, exchange, chunks, not exchange.personal, gpus)


def _items(exchange: Exchange, shares: Iterable[int]) -> list[int]:
    return [share * exchange.parts + part for share in shares for part in range(exchange.parts)]


def _personal(schedule: Schedule) -> dict[tuple[int, int], Place]:
    """Return by rank and item where it is: in input, output, or the next chunk of scratch."""
    exchange = schedule.exchange
    places: dict[tuple[int, int], Place] = {}
    for rank in range(exchange.ranks):
        for buffer, shares in (("o", ends(exchange, rank)), ("i", begins(exchange, rank))):
            for at, item in enumerate(_items(exchange, shares)):
                places[rank, item] = Place(buffer, at)
    spare = [count() for _ in range(exchange.ranks)]
    for item, path, _ in schedule.sends:
        if (path[-1], item) not in places:
            places[path[-1], item] = Place("s", next(spare[path[-1]]))
    return places


def _lanes(topology: Topology, path: tuple[int, ...]) -> int:
    return min(topology.links[topology.number[pair]].lanes for pair in pairwise(path))


def to_xml(program: Program) -> str:
    """Return a program as MSCCL's XML, with the attributes of its runtime's first format."""
    exchange = program.exchange
    code = exchange.kind.replace("-", "_")
    top = Element(
        "algo",
        name=program.name,
        proto="Simple",
        nchannels=str(1 + max((b.channel for gpu in program.gpus for b in gpu), default=0)),
        nchunksperloop=str(program.chunks),
        ngpus=str(exchange.ranks),
        coll=code,
        inplace=str(int(program.inplace)),
        outofplace=str(int(not program.inplace)),
        minBytes="0",
        maxBytes=str(2**63 - 1),
    )
    if exchange.rooted:
        top.set("root", str(exchange.root))
    for rank, blocks in enumerate(program.gpus):
        sizes = {"i": 0, "o": 0, "s": 0}
        awaited = {step.after for block in blocks for step in block.steps}
        gpu = ElementTree.SubElement(top, "gpu", id=str(rank))
        for nth, block in enumerate(blocks):
            inner = ElementTree.SubElement(gpu, "tb", id=str(nth))
            for key, value in (("send", block.send), ("recv", block.receive)):
                inner.set(key, str(value))
            inner.set("chan", str(block.channel))
            for at, step in enumerate(block.steps):
                for place in (step.source, step.target):
                    sizes[place.buffer] = max(sizes[place.buffer], place.offset + step.count)
                waits = step.after or (-1, -1)
                ElementTree.SubElement(
                    inner,
                    "step",
                    s=str(at),
                    type=step.kind,
                    srcbuf=step.source.buffer,
                    srcoff=str(step.source.offset),
                    dstbuf=step.target.buffer,
                    dstoff=str(step.target.offset),
                    cnt=str(step.count),
                    depid=str(waits[0]),
                    deps=str(waits[1]),
                    hasdep=str(int((nth, at) in awaited)),
                )
        for buffer in "ios":
            gpu.set(f"{buffer}_chunks", str(sizes[buffer]))
    ElementTree.indent(top)
    return f"{ElementTree.tostring(top, encoding='unicode')}\n"


def read_xml(text: str, size: int) -> Program:
    """Read a program.

    Parameters
    ----------
    text : str
    size : int
        Bytes of a rank's buffer.

    Raises
    ------
    SpecError
        It is no such XML, or of a collective that is not scheduled in chunks; the message names
        the place.
    """
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise SpecError("algo: it has a document type; remove it")
    try:
        top = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise SpecError(f"it is no XML: {error}") from None
    if top.tag != "algo":
        raise SpecError(f"it must be MSCCL's <algo>, not <{top.tag}>")
    said = top.get("coll", "")
    if (code := said.replace("_", "")) not in NAMES:
        raise SpecError(f'algo: coll must be one of {", ".join(NAMES)}, not "{said}"')
    ranks = _number(top, "ngpus", "algo", 2, 65536)
    root = _number(top, "root", "algo", 0, ranks - 1, 0)
    inplace = bool(_number(top, "inplace", "algo", 0, 1, 0))
    steps = count()
    gpus: list[list[Block]] = [[] for _ in range(ranks)]
    sizes: dict[tuple[int, str], int] = {}
    seen = set[int]()
    for gpu in top.iterfind("gpu"):
        rank = _number(gpu, "id", "gpu", 0, ranks - 1)
        if rank in seen:
            raise SpecError(f"gpu {rank}: it is there twice")
        seen.add(rank)
        for buffer in "ios":
            if gpu.get(key := f"{buffer}_chunks") is not None:
                sizes[rank, buffer] = _number(gpu, key, f"gpu {rank}", 0, 2**24)
        gpus[rank] = [
            _block(inner, f"gpu {rank}, tb {nth}", nth, ranks, steps)
            for nth, inner in enumerate(gpu.iterfind("tb"))
        ]
        for nth, block in enumerate(gpus[rank]):
            _check_waits(f"gpu {rank}, tb {nth}", block, gpus[rank])
    chunks = _number(top, "nchunksperloop", "algo", 1, 2**24)
    shares = shares_of(Exchange(NAMES[code], ranks, size))
    if chunks % shares and code != "allreduce":
        raise SpecError(
            f"algo: nchunksperloop must be a multiple of ngpus, as every rank's share has as many"
            f" chunks, but {chunks} is none of {ranks}"
        )
    exchange = Exchange(NAMES[code], ranks, size, max(1, chunks // shares), root)
    return Program(top.get("name", code), exchange, chunks, inplace, gpus, sizes)


def _block(
    inner: ElementTree.Element, place: str, number: int, ranks: int, total: Iterator[int]
) -> Block:
    if _number(inner, "id", place, 0, 65535) != number:
        raise SpecError(f"{place}: its id must be its place, {number}, not {inner.get('id')}")
    send, receive = (_number(inner, key, place, -1, ranks - 1) for key in ("send", "recv"))
    block = Block(send, receive, _number(inner, "chan", place, 0, 1023))
    for nth, element in enumerate(inner.iterfind("step")):
        at = f"{place}, step {nth}"
        if next(total) >= MOST_STEPS:
            raise SpecError(f"algo: it has more than {MOST_STEPS:,} steps")
        if _number(element, "s", at, 0, MOST_STEPS) != nth:
            raise SpecError(f"{at}: its s must be its place, {nth}, not {element.get('s')}")
        kind = element.get("type", "")
        if kind not in TYPES:
            raise SpecError(f'{at}: type must be one of {", ".join(TYPES)}, not "{kind}"')
        for kinds, key, peer in ((SENDING, "send", block.send), (RECEIVING, "recv", block.receive)):
            if kind in kinds and peer < 0:
                raise SpecError(f'{at}: type "{kind}" needs a peer, but the tb\'s {key} is -1')
        ends = [
            Place(element.get(f"{end}buf", "i"), _number(element, f"{end}off", at, -1, 2**24, -1))
            for end in ("src", "dst")
        ]
        if kind in RECEIVING and ends[0].offset < 0:  # the own operand, if nothing else is said
            ends[0] = ends[1]
        used = ends[:1] * reads(kind) + ends[1:] * writes(kind)
        for end in used:
            if end.buffer not in ("i", "o", "s") or end.offset < 0:
                raise SpecError(f'{at}: it has no chunk {end.offset} of buffer "{end.buffer}"')
        waits = (
            _number(element, "depid", at, -1, 65535, -1),
            _number(element, "deps", at, -1, MOST_STEPS, -1),
        )
        size = _number(element, "cnt", at, 0, 2**24, 1)
        after = waits if waits[0] >= 0 else None
        block.steps.append(Step(kind, ends[0], ends[1], size, after))
    return block


def _check_waits(place: str, block: Block, blocks: list[Block]) -> None:
    for nth, step in enumerate(block.steps):
        if step.after is None:
            continue
        other, number = step.after
        if not (other < len(blocks) and 0 <= number < len(blocks[other].steps)):
            raise SpecError(
                f"{place}, step {nth}: it waits for tb {other}, step {number}, which is not there"
            )


def _number(
    element: ElementTree.Element,
    key: str,
    place: str,
    least: int,
    most: int,
    default: int | None = None,
) -> int:
    text = element.get(key)
    if text is None and default is not None:
        return default
    try:
        value = int(text or "")
    except ValueError:
        value = least - 1
    if not least <= value <= most:
        shown = "missing" if text is None else f'"{text}"'
        raise SpecError(f"{place}: {key} must be {least} to {most}, not {shown}")
    return value
