"""Arguments that several commands share, how they are read, and how results are printed."""

import json
import math
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from syncfabric.models.errors import SpecError

if TYPE_CHECKING:
    from syncfabric.sim.tables import Titled
    from syncfabric.sim.vectors import StreamRequest

WRONG = 1
"""Exit code of a command that has found something wrong."""
MOST = 1e12
"""Of a time in ns, and of bytes: what is computed with them stays a number."""
MOST_NODES = 100_000
"""Nodes in a list; a number mistyped must not fill the memory."""
PATTERNS = (
    "uniform, transpose, bit-complement, bit-reverse, shuffle, tornado, neighbour, "
    "hotspot:SHARE:NODE"
)

Net = Annotated[
    str,
    typer.Argument(
        metavar="NET",
        help="Network file or name (syncfabric networks).",
    ),
]
Design = Annotated[
    str,
    typer.Argument(
        metavar="NET|BLOCK",
        help="Network, or block (syncfabric synth --list).",
    ),
]
ScheduleFile = Annotated[Path, typer.Argument(metavar="FILE", help="A schedule in JSON.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Folder = Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Output folder.")]
Simulator = Annotated[
    str, typer.Option(metavar="SIM", help="verilator, icarus, or model (no hardware).")
]
Episodes = Annotated[int, typer.Option(metavar="N", help="Barriers of each group.")]
Seed = Annotated[int, typer.Option(metavar="S", help="Random seed.")]
Traffic = Annotated[
    float, typer.Option(metavar="RATE", help="Ordinary packets, flits a node a cycle.")
]
Threads = Annotated[
    int | None,
    typer.Option(metavar="N", help="Threads of Verilator; by default one per idle core."),
]
StreamKind = Annotated[
    str | None,
    typer.Option(metavar="KIND", help="Also run vectors: allreduce, reduce or broadcast."),
]
StreamWords = Annotated[int, typer.Option(metavar="N", help="Words of a vector.")]
StreamOp = Annotated[
    str, typer.Option(metavar="OP", help="Operator of vectors, as min.i16, add.f32, add.bf16.")
]
BlockKeys = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Set a key of [network] for a block, as data_bits=8.",
    ),
]
Ranks = Annotated[
    int | None,
    typer.Option(min=1, max=2**16, metavar="N", help="Start mpiexec with N ranks."),
]
Hostfile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="With --ranks: host file for mpiexec."),
]
PayloadSeed = Annotated[int, typer.Option(min=0, max=2**31 - 1, metavar="S", help="Random seed.")]
StartUp = Annotated[
    float, typer.Option("--ts", min=0, max=MOST, help="Start-up time of a step in ns.")
]
TimeOfByte = Annotated[
    float, typer.Option("--t1", min=0, max=MOST, help="Channel time of a byte in ns.")
]


def number_of_bytes(text: str | float) -> float:
    """Return a number of bytes; K, M and G behind it are powers of 1,024."""
    match = re.fullmatch(r"([0-9.]+(?:e[0-9]+)?)([KMG]?)", str(text))
    try:
        value = float(match[1]) * 1024 ** " KMG".index(match[2] or " ") if match else -1.0
    except ValueError:
        value = -1.0
    if not 0 <= value <= MOST:
        raise typer.BadParameter(
            f"it must be a number from 0 to 10^12, as 1024, 64K or 64M, not {text}"
        )
    return value


Bytes = Annotated[
    float,
    typer.Option("--bytes", parser=number_of_bytes, metavar="N[K|M|G]", help="Bytes of a message."),
]

Result = TypeVar("Result")


def vectors(stream: str | None, words: int, op: str) -> "StreamRequest | None":
    """Return what ``--stream``, ``--words`` and ``--op`` ask for."""
    if stream is None:
        return None
    from syncfabric.sim.vectors import StreamRequest

    return StreamRequest(stream, words, op)


def print_json(value: Any) -> None:
    """Print one JSON value on one line."""
    typer.echo(json.dumps(value))


def emit(result: Result, as_json: bool, show: Callable[[Result], None]) -> None:
    """Print a result: what its ``to_json`` gives, or by ``show``."""
    if as_json:
        values: Any = result
        print_json(values.to_json())
    else:
        show(result)


def show(*parts: "Titled | str") -> None:
    """Print tables, and lines between them."""
    from rich.console import Console

    from syncfabric.sim import tables

    tables.show(Console(highlight=False), parts)


def settings(texts: Iterable[str] | None, option: str) -> dict[str, int | float]:
    """Return the numbers that ``NAME=VALUE`` texts give; those written whole are whole.

    Raises
    ------
    SpecError
        A text is not of this form, its value is no number, or a name comes twice.
    """
    pairs = _pairs(texts, option, "t_rm=60")
    return {name: number(value, f"{option} {name}") for name, value in pairs.items()}


def keys(texts: Iterable[str] | None, option: str) -> dict[str, object]:
    """Return the keys of a network file that ``NAME=VALUE`` texts give.

    A value is a whole number, ``true`` or ``false``, or else a word.

    Raises
    ------
    SpecError
        A text is not of this form, or a name comes twice.
    """

    def value(text: str) -> object:
        if text in ("true", "false"):
            return text == "true"
        return int(text) if text.isascii() and text.isdigit() else text

    return {name: value(text) for name, text in _pairs(texts, option, "data_bits=8").items()}


def _pairs(texts: Iterable[str] | None, option: str, example: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts or ():
        name, sign, value = (part.strip() for part in text.partition("="))
        if not name or not sign:
            raise SpecError(f'{option}: it must be NAME=VALUE, as {example}, not "{text}"')
        if name in found:
            raise SpecError(f"{option}: {name} is given twice; leave one out")
        found[name] = value
    return found


def number(text: str, what: str) -> int | float:
    """Return the number that a text is.

    Raises
    ------
    SpecError
        It is none, or not finite.
    """
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        if math.isfinite(value):
            return value
    raise SpecError(f'{what}: it must be a number, not "{text}"')


def node_list(text: str | None, option: str) -> list[int] | None:
    """Return the nodes that a text names, with ranges written out; None for none.

    Raises
    ------
    SpecError
        It is no such list.
    """
    if text is None:
        return None
    found: list[int] = []
    for word in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*", word)
        if match is None:
            raise SpecError(
                f'{option}: "{word.strip()}" is no node; give numbers and ranges, as 0,3,8-11'
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last < first + MOST_NODES:
            raise SpecError(f"{option}: range {first}-{last} is empty or too long")
        found += range(first, last + 1)
    return found
