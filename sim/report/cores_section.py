"""What a program on many cores did, in a report: its barriers' cycles and their instructions."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean

from syncfabric.sim.cores.result import CoresResult, Routine, complaints, core_rows, group_rows
from syncfabric.sim.report.blocks import Block, Section, Table, Verdict, Words
from syncfabric.sim.report.inputs import Saved
from syncfabric.sim.words import count

__all__ = ["cores_section"]


def cores_section(saved: Saved[CoresResult]) -> Section:
    """Return a saved result of ``syncfabric cores --json``."""
    result = saved.value
    barrier = f" · barrier {result.barrier}" if result.barrier else ""
    line = f"{result.network} under {result.simulator} · {count(result.cores, 'core')}{barrier}"
    return Section(saved.source, "program on cores", line, [*_blocks(result)])


def _blocks(result: CoresResult) -> Iterator[Block]:
    lost = mean(core.cycles for core in result.lost) if result.lost else 0
    told = [
        f"{result.cycles:,} cycles, of which a core spent {lost:,.0f} in barriers on average",
        *complaints(result),
    ]
    yield Verdict(result.ok, "ok" if result.ok else result.verdict, told)
    yield Table("Cores", core_rows(result))
    if result.groups:
        yield Table("Barriers in hardware", group_rows(result))
    if result.code:
        yield Words(
            [
                f"The instructions of barriers in software ({result.barrier}), as a core has them "
                "in its memory; what seldom happens, such as that there is no room to send, is "
                "called, and not shown."
            ]
        )
    for routine in result.code:
        yield _code(routine, closed=not routine.name.endswith("_both"))


def _code(routine: Routine, *, closed: bool) -> Table:
    rows = [[f"{address:x}", text] for address, text in routine.instructions]
    title = f"{routine.name}: {count(len(rows), 'instruction')}"
    return Table(title, (["address", "instruction"], rows), closed=closed)
