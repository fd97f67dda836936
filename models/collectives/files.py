"""Files: any graph as a topology, schedules, permutations; errors say where one is malformed."""

import json
import os
import re
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import isqrt
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass

from syncfabric.models.collectives.certificate import Bound
from syncfabric.models.collectives.collective import Collective, kind_of
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import FORMAT, Schedule, Transfer
from syncfabric.models.collectives.task import Rules
from syncfabric.models.collectives.topology import Link, Topology, full_duplex
from syncfabric.models.errors import OutputError, SpecError, UnknownNameError, about
from syncfabric.models.files import read_bytes, read_text, reading, write_whole
from syncfabric.models.networks.explain import choice, show
from syncfabric.models.networks.graph import Drawing, is_whole, parse_edges, parse_graphml
from syncfabric.models.networks.reader import ready_made
from syncfabric.models.parsed import Rational, parse_json, validated

MOST_LANES = 1024


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class _File:
    """A topology as a schedule file holds it."""

    name: str
    nodes: Annotated[int, Field(strict=True)]
    switches: Annotated[int, Field(strict=True)]
    channels: list[tuple[int, int]]
    links: list[tuple[Rational, Rational, Annotated[int, Field(strict=True, le=MOST_LANES)]]] = (
        Field(default_factory=list)
    )


_FILE = TypeAdapter(_File)


def load_topology(name_or_path: str) -> Topology:
    """Return a topology by its name, or from a file.

    What is in a file is JSON if it begins with ``{``, GraphML if it begins with ``<``, else a list
    of edges, two labels a line. Links of GraphML and of edge lists lead both ways. If each switch
    of the drawing has one node, the nodes have routers of their own; else every node is a
    processor behind its switch. Vertices are numbered in the order of the file, or by their
    labels if all of them are whole numbers.

    Raises
    ------
    SpecError
        There is no such name or file, or it is no graph, or it is not connected.
    """
    path = Path(name_or_path)
    if not os.path.isdir(path) and path.suffix != ".toml":
        try:
            with reading(name_or_path, or_name=True):
                return _of_text(path.stem, read_bytes(path))
        except FileNotFoundError:
            pass
    try:
        return named(name_or_path)
    except UnknownNameError:
        if path.suffix != ".toml" and name_or_path not in ready_made():
            raise
    raise UnknownNameError(
        f'"{name_or_path}" is a network; a schedule is for a topology, such as mesh-4x4 (see:'
        " syncfabric topologies), or for a graph's file"
    )


def _of_text(name: str, data: bytes) -> Topology:
    text = data.decode("utf-8")
    if text.lstrip().startswith("{"):
        return topology_from_json(parse_json(text))
    if text.lstrip().startswith("<"):
        return _topology(name, parse_graphml("graph", data))
    return _topology(name, parse_edges("graph", text))


def topology_from_json(values: Any, subject: str = "topology") -> Topology:
    """Return the topology that ``Topology.to_json`` wrote.

    Parameters
    ----------
    values : Any
    subject : str
        What errors call it.

    Raises
    ------
    SpecError
        The values have not its shape; the message names the place.
    """
    if isinstance(values, dict) and values.get("msccl_type") == "topology":
        from syncfabric.models.collectives.chunks.msccl_json import read_topology

        return read_topology(values)
    file = validated(_FILE, values, subject)
    links = tuple(Link(*link) for link in file.links)
    return Topology(file.name, file.nodes, file.switches, tuple(file.channels), links)


def exact(value: float) -> Fraction:
    """Return a number of a file as it is written there, 0.1 as a tenth."""
    return Fraction(repr(value))


def _topology(name: str, drawing: Drawing) -> Topology:
    slim = not drawing.nodes and set(drawing.switches.values()) == {1}
    routers = _sorted(drawing.switches)
    owners = [label for label in routers for _ in range(drawing.switches[label])]
    owners += [drawing.nodes[label][0] for label in _sorted(drawing.nodes)]
    nodes = len(owners)
    if nodes == 0:
        raise SpecError("graph: there is no node in it, only switches")
    seen: set[frozenset[str]] = set()
    edges = [(a, b) for (a, _), (b, _) in drawing.links]
    for a, b in edges:
        if a == b:
            raise SpecError(f'graph: an edge leads from "{a}" to itself; remove it')
        if frozenset((a, b)) in seen:
            raise SpecError(
                f'graph: there are two edges between "{a}" and "{b}"; remove one, for a path '
                "of vertices does not say which of them it takes"
            )
        seen.add(frozenset((a, b)))
    first = 0 if slim else nodes
    number = {label: first + i for i, label in enumerate(routers)}
    local = [] if slim else [(p, number[label]) for p, label in enumerate(owners)]
    links = [(number[a], number[b]) for a, b in edges]
    return Topology(name, nodes, 0 if slim else len(routers), full_duplex([*local, *links]))


def _sorted(labels: dict[str, Any]) -> list[str]:
    """Return labels by number if all of them are whole numbers, else in their own order."""
    if all(map(is_whole, labels)):
        return sorted(labels, key=int)
    return list(labels)


_STRICT = ConfigDict(extra="forbid")

_Node = Annotated[int, Field(strict=True, ge=0)]


@dataclass(frozen=True, config=_STRICT)
class _Transfer:
    message: tuple[_Node, _Node]
    path: Annotated[list[_Node], Field(min_length=2)]


@dataclass(frozen=True, config=_STRICT)
class _ScheduleFile:
    """A schedule file; field by field as the documentation has them."""

    format: Literal["syncfabric-schedule/1"]
    topology: dict[str, Any]
    collective: Annotated[str, Field(strict=True)]
    senders: list[_Node]
    receivers: list[_Node]
    ports: Annotated[int, Field(strict=True, ge=1)] | Literal["all"]
    one_port: Literal["single-use", "strict"]
    switching: Literal["wormhole", "store-and-forward"]
    steps: list[list[_Transfer]]
    certificate: Bound | None = None


_SCHEDULE = TypeAdapter(_ScheduleFile)


def load_schedule(path: Path) -> Schedule:
    """Read a schedule file.

    Raises
    ------
    SpecError
        It cannot be read, or is no schedule; the message names the file and the place.
    """
    with reading(path):
        return replace(read(parse_json(read_text(path))), source=str(path))


def save_schedule(schedule: Schedule, path: Path) -> None:
    """Write a schedule file.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    write_json(schedule.to_json(), path)


def write_json(values: dict[str, Any], path: Path) -> None:
    """Write values as a schedule file has them.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    try:
        write_whole(path, f"{json.dumps(values)}\n".encode())
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from None


def read(values: Any) -> Schedule:
    """Return a schedule from the values of a file.

    Raises
    ------
    SpecError
        The values have not its shape, or name what the topology lacks; the message names the
        place.
    """
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        found = values.get("format") if isinstance(values, dict) else None
        if found == "syncfabric-schedule/2":
            raise SpecError("schedule: it is in chunks, and is read by load_any")
        raise SpecError(
            f'schedule: format must be "{FORMAT}", or "/2" in chunks, not {json.dumps(found)}'
        )
    file = validated(_SCHEDULE, values, "schedule")
    topology = topology_from_json(file.topology, "schedule: topology")
    with about("schedule"):
        kind = kind_of(file.collective)
    collective = Collective(kind, tuple(file.senders), tuple(file.receivers))
    collective.check_on(topology)
    steps = tuple(
        tuple(
            _transfer(topology, transfer, f"schedule: steps[{t}][{i}]")
            for i, transfer in enumerate(step)
        )
        for t, step in enumerate(file.steps)
    )
    rules = Rules(file.ports, file.one_port, file.switching)
    return Schedule(topology, collective, rules, steps, file.certificate)


def _transfer(topology: Topology, transfer: _Transfer, place: str) -> Transfer:
    for end in transfer.message:
        if end >= topology.nodes:
            raise SpecError(
                f"{place}.message: {end} is no node; they are 0 to {topology.nodes - 1}"
            )
    path = transfer.path
    for a, b in pairwise(path):
        if (a, b) not in topology.number:
            raise SpecError(f"{place}.path: topology {topology.name} has no channel [{a}, {b}]")
    return Transfer(transfer.message, tuple(path))


PERMUTATIONS = ("transpose", "bit-reverse", "shuffle")

_DIGITS = re.compile(r"[0-9]{1,9}")


def permutation(name_or_path: str, nodes: int) -> tuple[int, ...]:
    """Return where each node sends its message.

    Parameters
    ----------
    name_or_path : str
        ``transpose``: row and column change places, nodes being a square. ``bit-reverse``: the
        bits of the number in reverse. ``shuffle``: they are rotated to the left by one. Or a file
        with the destinations of the nodes 0, 1, …: a JSON list, or numbers with spaces between.
    nodes : int

    Raises
    ------
    SpecError
        Neither a name nor a file, or the number of nodes does not fit, or it is no permutation.
    """
    if name_or_path == "transpose":
        side = isqrt(nodes)
        if side * side != nodes:
            raise SpecError(f"permutation transpose: nodes must be a square, not {nodes}")
        return tuple(i % side * side + i // side for i in range(nodes))
    if name_or_path in PERMUTATIONS:
        bits = nodes.bit_length() - 1
        if nodes != 1 << bits:
            raise SpecError(
                f"permutation {name_or_path}: nodes must be a power of two, not {nodes}"
            )
        if name_or_path == "shuffle":
            return tuple((i << 1 | i >> bits - 1) & nodes - 1 if bits else i for i in range(nodes))
        return tuple(int(f"{i:0{bits}b}"[::-1], 2) if bits else i for i in range(nodes))
    return _targets_of_file(name_or_path, nodes)


def _targets_of_file(name: str, nodes: int) -> tuple[int, ...]:
    try:
        with reading(name, or_name=True):
            return _targets(read_text(Path(name)), nodes)
    except FileNotFoundError:
        raise SpecError(
            f'permutation: "{name}" is neither {choice(PERMUTATIONS)} nor a text file '
            "that can be read"
        ) from None


def _targets(text: str, nodes: int) -> tuple[int, ...]:
    found = parse_json(text) if text.lstrip().startswith("[") else text.split()
    for word in found:
        if type(word) is not int and not (isinstance(word, str) and _DIGITS.fullmatch(word)):
            raise SpecError(f"permutation: {show(word)} is no node; list whole numbers")
    targets = tuple(map(int, found))
    if sorted(targets) != list(range(nodes)):
        raise SpecError(f"permutation: it must name each of the nodes 0 to {nodes - 1} once")
    return targets
