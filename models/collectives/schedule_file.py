"""Schedule files: JSON, read with errors that say where it is malformed."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from syncfabric.models.collectives.certificate import Bound
from syncfabric.models.collectives.collective import Collective, Kind
from syncfabric.models.collectives.schedule import FORMAT, Rules, Schedule, Transfer
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.collectives.topology_file import place_of, topology_from_json
from syncfabric.models.errors import SpecError
from syncfabric.models.files import read_text, reading, write_whole
from syncfabric.models.parsed import parse_json

__all__ = ["load_schedule", "read", "save_schedule"]

_STRICT = ConfigDict(extra="forbid")

_Node = Annotated[int, Field(strict=True, ge=0)]


@dataclass(frozen=True, config=_STRICT)
class _Transfer:
    message: tuple[_Node, _Node]
    path: Annotated[list[_Node], Field(min_length=2)]


@dataclass(frozen=True, config=_STRICT)
class _File:
    """A schedule file; field by field as the documentation has them."""

    format: Literal["syncfabric-schedule/1"]
    topology: dict[str, Any]
    collective: Kind
    senders: list[_Node]
    receivers: list[_Node]
    ports: Annotated[int, Field(strict=True, ge=1)] | Literal["all"]
    one_port: Literal["single-use", "strict"]
    switching: Literal["wormhole", "store-and-forward"]
    steps: list[list[_Transfer]]
    certificate: Bound | None = None


_FILE = TypeAdapter(_File)


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
    from syncfabric.models.errors import OutputError

    try:
        write_whole(path, f"{json.dumps(schedule.to_json())}\n".encode())
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
        raise SpecError(f'schedule: format must be "{FORMAT}", not {json.dumps(found)}')
    try:
        file = _FILE.validate_python(values)
    except ValidationError as error:
        raise SpecError(f"schedule: {place_of(error)}") from None
    topology = topology_from_json(file.topology, "schedule: topology")
    collective = Collective(file.collective, tuple(file.senders), tuple(file.receivers))
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
