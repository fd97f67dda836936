"""A result in words and rows."""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.sim.cores.result import CoresResult, reason_words
from syncfabric.sim.rows import Rows

__all__ = ["complaints", "console_lines", "core_rows", "group_rows"]

_NONE = "–"


def console_lines(result: CoresResult) -> Iterator[str]:
    """Yield what the cores wrote, by cycle."""
    for put in result.console:
        yield f"core {put.core}, cycle {put.cycle:,}: {put.value}"


def core_rows(result: CoresResult) -> Rows:
    """Return a row a core."""
    heads = ["core", "exit code", "in barriers\n(cycles)", "share", "waiting\nfor hardware"]
    rows = [
        [
            str(lost.core),
            _NONE if code is None else str(code),
            f"{lost.cycles:,}",
            f"{lost.cycles / max(1, result.cycles):.1%}",
            f"{lost.waiting:,}",
        ]
        for lost, code in zip(result.lost, result.exits, strict=True)
    ]
    return heads, rows


def group_rows(result: CoresResult) -> Rows:
    """Return a row a group: its barriers in hardware."""
    heads = ["group", "members", "planner", "barriers", "latency (cycles)\nmin/med/max", "bound"]
    rows = []
    for group in result.groups:
        spread = group.latency
        latency = f"{spread.min}/{spread.median:g}/{spread.max}" if spread else _NONE
        bound = _NONE if group.bound is None else str(group.bound)
        planner = group.planner or _NONE
        rows.append(
            [str(group.id), str(group.members), planner, f"{group.episodes:,}", latency, bound]
        )
    return heads, rows


def complaints(result: CoresResult) -> Iterator[str]:
    """Yield why a run is not all right, a line each; nothing if it is."""
    for fault in result.faults:
        function = result.functions[fault.pc]
        where = f"0x{fault.pc:x}" + (f" in {function}" if function else "")
        yield (
            f"fault: core {fault.core}, cycle {fault.cycle:,}, instruction at {where}, address "
            f"0x{fault.address:x}: {reason_words(fault)}"
        )
    if result.verdict == "limit":
        yield f"limit: not all cores have ended within {result.cycles:,} cycles"
    if result.verdict == "stuck":
        yield f"stuck: in cycle {result.cycles:,} all cores that have not ended wait for ever"
    if result.verdict in ("limit", "stuck"):
        for one in result.stands:
            where = f"0x{one.pc:x}" + (f" in {one.function}" if one.function else "")
            yield f"  core {one.core} {_DOING[one.activity]}, at {where}"
    if result.verdict == "end":
        for core, code in enumerate(result.exits):
            if code:
                yield f"core {core} ended with exit code {code}"


_DOING = {
    "works": "works",
    "arrives": "arrives at a barrier",
    "waits": "waits in a barrier",
    "fenced": "waits for acknowledgements before it arrives",
    "receives": "waits for a packet",
    "sends": "waits to send a packet",
    "configures": "waits for the config port",
    "stopped": "has ended",
}
