"""Files of schedules in chunks; errors say where one is malformed."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass

from syncfabric.models.collectives.chunks.checker import bound_of
from syncfabric.models.collectives.chunks.schedule import (
    FORMAT,
    MOST_BYTES,
    Chunked,
    Cut,
    Exchange,
    Schedule,
    Send,
)
from syncfabric.models.collectives.files import read as read_steps
from syncfabric.models.collectives.files import topology_from_json
from syncfabric.models.collectives.schedule import Schedule as InSteps
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import SpecError
from syncfabric.models.files import read_text, reading
from syncfabric.models.parsed import Rational, parse_json, validated

_Whole = Annotated[int, Field(strict=True, ge=0)]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"), kw_only=True)
class _Cut:
    """Why a schedule takes so long."""

    cut: list[list[_Whole]] | None = None
    times: list[tuple[_Whole, Rational]] | None = None
    lengths: list[tuple[_Whole, _Whole, _Whole]] | None = None

    def made(self) -> Cut | None:
        """Return the cut, if there is one."""
        if self.lengths is not None:
            if self.cut is not None or not self.lengths:
                raise SpecError("schedule: lengths: they take a cut's place; give one of them")
            return Cut((), lengths=tuple(self.lengths))
        if self.cut is not None:
            return Cut(tuple(map(frozenset, self.cut)), tuple(self.times or ()))
        if self.times:
            raise SpecError("schedule: times: they are of a cut's vertices; there is no cut")
        return None


@dataclass(frozen=True, config=ConfigDict(extra="forbid"), kw_only=True)
class _File(_Cut):
    """A file; field by field as the documentation has them."""

    format: Literal["syncfabric-schedule/2"]
    topology: dict[str, Any]
    collective: Chunked
    bytes: Annotated[int, Field(strict=True, ge=1, le=MOST_BYTES)]
    chunks: Annotated[int, Field(strict=True, ge=1)]
    sends: list[list[Any]]
    root: _Whole = 0
    in_chunks: _Cut | None = None


_FILE = TypeAdapter(_File)


def load_any(path: Path) -> Schedule | InSteps:
    """Read a file of a schedule, in chunks or in steps.

    Raises
    ------
    SpecError
        It cannot be read, or is no schedule; the message names the file and the place.
    """
    with reading(path):
        return replace(read_any(parse_json(read_text(path))), source=str(path))


def read_any(values: Any) -> Schedule | InSteps:
    """Return a schedule from the values of a file, in chunks or in steps.

    Raises
    ------
    SpecError
        As ``read``.
    """
    if isinstance(values, dict) and values.get("format") == FORMAT:
        return read(values)
    return read_steps(values)


def read(values: Any) -> Schedule:
    """Return a schedule from the values of a file.

    Raises
    ------
    SpecError
        The values have not its shape, or name what the topology lacks; the message names the
        place.
    """
    file = validated(_FILE, values, "schedule")
    topology = topology_from_json(file.topology, "schedule: topology")
    if not topology.links:
        raise SpecError(
            "schedule: topology.links is missing: alpha, beta and lanes of each channel"
        )
    exchange = Exchange(file.collective, topology.nodes, file.bytes, file.chunks, file.root)
    if file.root and not exchange.rooted:
        raise SpecError(f"schedule: root: {file.collective} has none; remove it, or set it to 0")
    sends = tuple(
        _send(topology, exchange, send, f"schedule: sends[{number}]")
        for number, send in enumerate(file.sends)
    )
    cut, of_parts = (None if part is None else part.made() for part in (file, file.in_chunks))
    for each in (cut, of_parts):
        if each is not None:
            bound_of(exchange, topology, each)
    return Schedule(topology, exchange, sends, cut, of_parts)


def _send(topology: Topology, exchange: Exchange, send: Any, place: str) -> Send:
    if len(send) < 5 or not all(type(word) is int for word in (*send[:2], *send[3:])):
        raise SpecError(f'{place}: it must be share, part, "copy" or "combine", and a path')
    share, part, operation, *path = send
    if operation not in ("copy", "combine"):
        raise SpecError(f'{place}: it must be "copy" or "combine", not "{operation}"')
    if not (0 <= share < exchange.count and 0 <= part < exchange.parts):
        raise SpecError(
            f"{place}: there is no share {share}, part {part}: there are"
            f" {exchange.count} of {exchange.parts}"
        )
    for pair in pairwise(path):
        if pair not in topology.number:
            raise SpecError(f"{place}: topology {topology.name} has no channel {list(pair)}")
    for at, vertex in enumerate(path):
        if (vertex < topology.nodes) != (at in (0, len(path) - 1)):
            raise SpecError(f"{place}: a path leads from a rank to a rank, past switches alone")
    return Send(share * exchange.parts + part, tuple(path), operation == "combine")
