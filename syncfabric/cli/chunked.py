"""What ``schedule`` and ``check`` do with schedules in chunks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from syncfabric.cli.options import node_list, print_json
from syncfabric.cli.progress import interrupts, now_and_then
from syncfabric.cli.schedules import print_first
from syncfabric.models.collectives.chunks.bounds import best_cut
from syncfabric.models.collectives.chunks.checker import (
    Outcome,
    bound_of,
    check,
    least_latency,
    proved,
    proved_in_parts,
)
from syncfabric.models.collectives.chunks.files import (
    c_table,
    trace_bytes,
    trace_json,
    traces_of,
)
from syncfabric.models.collectives.chunks.msccl import program_of, read_xml, to_xml
from syncfabric.models.collectives.chunks.msccl_json import check_algorithm, read_algorithm
from syncfabric.models.collectives.chunks.performed import check_program as performed
from syncfabric.models.collectives.chunks.schedule import (
    Exchange,
    Schedule,
    chunked_kind,
    is_allreduce,
)
from syncfabric.models.collectives.chunks.search import Found, Result, search
from syncfabric.models.collectives.files import exact, load_topology, write_json
from syncfabric.models.collectives.methods import method
from syncfabric.models.collectives.schedule import collector_off
from syncfabric.models.collectives.topology import Topology, linked
from syncfabric.models.collectives.verdict import Costs
from syncfabric.models.errors import SpecError
from syncfabric.models.files import read_text, reading
from syncfabric.sim.output import write_file
from syncfabric.sim.tables import Titled, print_table, table

MOST_CHUNKS = 65536
ENDINGS = (".json", ".xml", ".et", ".h")
"""Of files that a schedule is written to; `.et.json` is one of the first."""


@dataclass(frozen=True)
class Asked:
    """The options of ``schedule`` that chunks have."""

    chunks: str
    costs: Costs
    method: str
    seed: int
    time_limit: float
    senders: str | None
    receivers: str | None
    output: Path | None
    draw: Path | None
    as_json: bool


def wants_chunks(collective: str, chunks: str | None) -> bool:
    """Return whether a schedule in chunks is asked for: of ``allreduce`` there is no other."""
    return chunks is not None or is_allreduce(collective)


@collector_off()
def schedule_chunks(name: str, collective: str, asked: Asked) -> None:
    """Find schedules in chunks, print them, and write the fastest."""
    kind, parts = chunked_kind(collective), numbers_of_chunks(asked.chunks)
    if asked.method != "auto":
        method(asked.method, in_chunks=True)
    size = _whole(asked.costs)
    topology = _linked(name, asked.costs)
    if asked.output is not None and not asked.output.name.endswith(ENDINGS):
        known = ", ".join(ENDINGS)
        raise SpecError(f"--output: its name must end with one of {known}, not {asked.output.name}")
    if asked.draw is not None:
        from syncfabric.sim.draw.schedule import check_schedule_picture

        check_schedule_picture(asked.draw, topology)
    root = _root(kind, asked)
    with interrupts() as stop:
        result = search(
            topology,
            kind,
            size,
            parts,
            root=root,
            methods=() if asked.method == "auto" else (asked.method,),
            seed=asked.seed,
            time_limit=asked.time_limit,
            progress=now_and_then(),
            stop=stop,
        )
    if asked.output is not None:
        _write(result.best.schedule, asked.output)
    if asked.draw is not None:
        from syncfabric.sim.draw.schedule import save_schedule_picture

        save_schedule_picture(result.best.schedule, asked.draw)
    if asked.as_json:
        print_json(_to_json(topology, result, asked))
    else:
        _print(topology, result)


def _linked(name: str, costs: Costs) -> Topology:
    """Return a topology whose links have costs, its own or those of the options."""
    topology = load_topology(name)
    if not topology.links and not costs.t1:
        raise SpecError("--t1: in chunks a byte must take time; give nanoseconds above 0")
    return linked(topology, exact(costs.ts), exact(costs.t1))


def _whole(costs: Costs) -> int:
    """Return the bytes, which must be whole."""
    if costs.length != int(costs.length):
        raise SpecError(f"--bytes: in chunks it must be whole, not {costs.length:g}")
    return int(costs.length)


def _write(schedule: Schedule, file: Path) -> None:
    """Write a schedule in the form that the file's name asks for."""
    if file.suffix == ".xml":
        write_file(file, to_xml(program_of(schedule)))
    elif file.suffix == ".h":
        write_file(file, c_table(schedule))
    elif file.name.endswith((".et", ".et.json")):
        stem, _, form = file.name.rpartition(".et")
        for rank, nodes in enumerate(traces_of(schedule)):
            each = file.with_name(f"{stem}.{rank}.et{form}")
            if form:
                write_json(trace_json(nodes), each)
            else:
                write_file(each, trace_bytes(nodes))
    else:
        write_json(schedule.to_json(), file)


def check_chunks(schedule: Schedule, *, as_json: bool) -> bool:
    """Check a schedule in chunks, print the verdict, and return whether it is right."""
    topology, exchange = schedule.topology, schedule.exchange
    bound, why = proved(schedule)
    made = f"{len(schedule.sends):,} sends, {exchange.parts:,} chunks of a share"
    about = _exchange_json(topology, exchange)
    head = head_of(topology, exchange)
    in_parts = exchange.parts, proved_in_parts(schedule)
    return _checked(head, about, made, check(schedule), bound, why, in_parts, as_json=as_json)


def check_msccl(file: Path, values: Any, costs: Costs, *, as_json: bool) -> bool:
    """Check an algorithm in msccl-tools' JSON."""
    size = _whole(costs)
    with reading(file):
        algorithm = read_algorithm(values, size, exact(costs.ts), exact(costs.t1))
    topology, exchange = algorithm.topology, algorithm.exchange
    bound, why = algorithm.latency, "latency alone"
    if exchange is not None:
        cut = best_cut(exchange, topology, apart=False)
        bound = max(bound, bound_of(exchange, topology, cut, apart=False))
        why = "the best cut, by links alone"
    rounds = sum(rounds for rounds, _ in algorithm.steps)
    made = f"{len(algorithm.steps):,} steps of {rounds:,} rounds,"
    made += f" {sum(len(sends) for _, sends in algorithm.steps):,} sends,"
    made += f" {len(set(algorithm.addresses)):,} addresses"
    about: dict[str, Any] = {
        "topology": topology.name,
        "collective": algorithm.name if exchange is None else exchange.kind,
        "ranks": topology.nodes,
        "bytes": size,
        "root": exchange.root if exchange is not None and exchange.rooted else None,
    }
    head = f"{about['collective']} on {topology.name}, {topology.nodes} ranks, {size:,} bytes each"
    outcome = check_algorithm(algorithm)
    return _checked(head, about, made, outcome, bound, why, as_json=as_json)


def check_program(file: Path, topology: str | None, costs: Costs, *, as_json: bool) -> bool:
    """Check a program in MSCCL's XML as a schedule in chunks."""
    size = _whole(costs)
    with reading(file):
        program = read_xml(read_text(file), size)
        exchange = program.exchange
        on = _linked(topology or f"complete-{exchange.ranks}", costs)
        outcome = performed(program, on)
    cut = best_cut(exchange, on, apart=False)  # a step may send several chunks
    bound = max(least_latency(exchange, on), bound_of(exchange, on, cut, apart=False))
    steps = sum(len(block.steps) for blocks in program.gpus for block in blocks)
    made = f"{steps:,} steps of {sum(map(len, program.gpus)):,} thread blocks"
    made += f", {program.chunks:,} chunks"
    about = _exchange_json(on, exchange)
    head = head_of(on, exchange)
    return _checked(head, about, made, outcome, bound, "the best cut", as_json=as_json)


def _checked(
    head: str,
    about: dict[str, Any],
    made: str,
    outcome: Outcome,
    bound: Fraction,
    why: str,
    in_parts: tuple[int, Fraction] | None = None,
    *,
    as_json: bool,
) -> bool:
    right = not outcome.broken
    if as_json:
        print_json(
            {
                **about,
                "made_of": made,
                "right": right,
                "wrong": list(outcome.wrong),
                "rules_broken": outcome.broken,
                "time": float(outcome.time),
                "bound": float(bound),
                "of_bound": _ratio(outcome.time, bound),
                **({} if in_parts is None else {"bound_in_chunks": float(in_parts[1])}),
            }
        )
        return right
    typer.echo(head)
    typer.echo(f"made of    {made}")
    typer.echo(f"time       {float(outcome.time):,.0f} ns")
    typer.echo(f"bound      {float(bound):,.0f} ns, by {why}")
    print_first("wrong", outcome.wrong, outcome.broken)
    if right:
        typer.echo(_verdict(outcome.time, bound, in_parts))
    else:
        plural = "" if outcome.broken == 1 else "s"
        typer.echo(f"verdict    wrong: {outcome.broken:,} rule{plural} broken")
    return right


def numbers_of_chunks(text: str) -> list[int]:
    """Return the numbers of chunks to try, from ``N`` or ``FROM:TO``.

    Of a range these are its ends, and the powers of two and three times these between them.

    Raises
    ------
    SpecError
        It is no such text.
    """
    match = re.fullmatch(r"([0-9]{1,6})(?::([0-9]{1,6}))?", text)
    low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= low <= high <= MOST_CHUNKS:
        raise SpecError(
            f"--chunks: it must be a number from 1 to {MOST_CHUNKS:,}, or a range, as 1:16, not"
            f' "{text}"'
        )
    steps = {base << shift for base in (1, 3) for shift in range(high.bit_length())}
    return sorted({low, high} | {n for n in steps if low < n < high})


def _root(kind: str, asked: Asked) -> int:
    """Return the rank that the options name as root."""
    options = {
        "broadcast": ("--senders", asked.senders),
        "scatter": ("--senders", asked.senders),
        "reduce": ("--receivers", asked.receivers),
        "gather": ("--receivers", asked.receivers),
    }
    for option, given in (("--senders", asked.senders), ("--receivers", asked.receivers)):
        if given is not None and options.get(kind, ("",))[0] != option:
            raise SpecError(f"{option}: {kind} in chunks is of all ranks; leave it out")
    option, given = options.get(kind, ("", None))
    nodes = node_list(given, option) or [0]
    if len(nodes) != 1:
        raise SpecError(f"{option}: {kind} in chunks has one root, not {len(nodes)}")
    return int(nodes[0])


def head_of(topology: Topology, exchange: Exchange) -> str:
    """Return what is scheduled where, on what links."""
    root = f" of rank {exchange.root}" if exchange.rooted else ""
    alike = {*topology.links}
    link = next(iter(alike))
    costs = f"alpha {float(link.alpha):g} ns, beta {float(link.beta):g} ns a byte"
    links = f"links of {costs}" if len(alike) == 1 else f"{len(alike)} kinds of links"
    return (
        f"{exchange.kind}{root} on {topology.name}, {exchange.ranks} ranks, {exchange.size:,} bytes"
        f" each, {links}"
    )


def _print(topology: Topology, result: Result) -> None:

    typer.echo(head_of(topology, result.best.schedule.exchange))
    front = {id(one): "yes" for one in result.front}
    shown = {id(one) for one in (*result.found[:8], *result.front)}
    columns: dict[str, Any] = {
        "method": "method",
        "chunks": "parts",
        "sends": lambda one: len(one.schedule.sends),
        "time (ns)": lambda one: round(one.time),
        "of bound": lambda one: f"{float(one.time / result.bound):.3f}",
        "latency (ns)": lambda one: "" if one.latency is None else round(one.latency),
        "ns a byte": lambda one: (
            "" if one.time_of_a_byte is None else f"{float(one.time_of_a_byte):.4g}"
        ),
        "Pareto": lambda one: front.get(id(one), ""),
    }
    rows = table((one for one in result.found if id(one) in shown), columns)
    print_table(Console(), Titled("", rows))
    if result.left_out:
        typer.echo(
            f"left out   {', '.join(map(str, sorted(result.left_out)))} chunks, by some methods:"
            " no time, or too many sends"
        )
    best = result.best
    chunks = f"{best.parts} chunk{'s' * (best.parts > 1)}"
    typer.echo(f"best       {best.method}, {chunks}: {float(best.time):,.0f} ns")
    in_parts = best.parts, proved_in_parts(best.schedule)
    typer.echo(_verdict(result.best.time, result.bound, in_parts))


def _verdict(time: Fraction, bound: Fraction, in_parts: tuple[int, Fraction] | None = None) -> str:
    """Judge a time by the bound, and by that of as many chunks of a share."""
    if time == bound:
        return "verdict    right, and optimal: a bound is met"
    said = f"verdict    right; {_ratio(time, bound):.3f} of the bound, {float(bound):,.0f} ns"
    if in_parts is None or in_parts[1] <= bound:
        return said
    parts, least = in_parts
    chunks = f"{parts} chunk{'s' * (parts > 1)}"
    near = "optimal" if time == least else f"{_ratio(time, least):.3f} of the bound"
    return f"{said}; {near} for {chunks}"


def _ratio(time: Fraction, bound: Fraction) -> float:
    return round(float(time / bound), 4) if bound else 1.0


def _exchange_json(topology: Topology, exchange: Exchange) -> dict[str, Any]:
    return {
        "topology": topology.name,
        "collective": exchange.kind,
        "ranks": exchange.ranks,
        "bytes": exchange.size,
        "root": exchange.root if exchange.rooted else None,
    }


def _found_json(found: Sequence[Found]) -> list[dict[str, Any]]:
    return [
        {
            "method": one.method,
            "chunks": one.parts,
            "sends": len(one.schedule.sends),
            "time": float(one.time),
            "latency": None if one.latency is None else float(one.latency),
            "time_of_a_byte": None if one.time_of_a_byte is None else float(one.time_of_a_byte),
        }
        for one in found
    ]


def _to_json(topology: Topology, result: Result, asked: Asked) -> dict[str, Any]:

    best = result.best
    return {
        **_exchange_json(topology, best.schedule.exchange),
        "best": _found_json([best])[0],
        "bound": float(result.bound),
        "of_bound": _ratio(best.time, result.bound),
        "bound_in_chunks": float(proved_in_parts(best.schedule)),
        **({"cut": []} | result.cut.to_json()),
        "pareto": _found_json(result.front),
        "found": _found_json(result.found),
        "left_out": list(result.left_out),
        "seed": asked.seed,
        "file": None if asked.output is None else str(asked.output),
        "schedule": best.schedule.to_json() if asked.output is None else None,
    }
