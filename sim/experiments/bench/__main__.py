"""Measure and print. Words on the command line choose sections by their titles."""

import argparse
import sys

from rich.console import Console
from rich.table import Table

from syncfabric.sim.experiments.bench import (
    area,
    cores,
    latency,
    planning,
    schedule_growth,
    schedules,
    speed,
    static,
    wires,
)
from syncfabric.sim.experiments.frame import Work

SECTIONS = (
    latency.barrier_latency,
    latency.options_latency,
    latency.irregular_latency,
    latency.many_groups,
    latency.schemes,
    speed.ordinary_packets,
    speed.speed,
    speed.irregular_speed,
    speed.growth,
    speed.soaks,
    speed.campaigns,
    planning.verilog_size,
    planning.planning,
    planning.irregular_planning,
    planning.wire_slots,
    planning.capacity,
    wires.wire_latency,
    wires.wires_beside,
    wires.wire_speed,
    area.area,
    area.area_parts,
    area.generic_area,
    area.network_area,
    static.static_latency,
    static.static_speed,
    static.ring_planning,
    static.collectives,
    cores.core_barriers,
    cores.core_skew,
    cores.core_reductions,
    cores.core_names,
    cores.core_programs,
    cores.core_groups,
    cores.core_reflex,
    schedules.mboa,
    schedules.schedule_search,
    schedule_growth.schedule_growth,
)
MARKS: dict[str | None, str] = {"holds": "met", "does not hold": "[red]missed[/red]", None: ""}


def main(words: list[str]) -> int:
    """Print the chosen sections; return 1 if a target is missed, 2 if there is no such section."""
    console, missed = Console(), 0
    chosen = [
        section
        for section in SECTIONS
        if not words or any(word.lower() in section.title.lower() for word in words)
    ]
    if not chosen:
        titles = "; ".join(section.title for section in SECTIONS)
        print(f"error: no section has that in its title; titles are {titles}")
        return 2
    for section in chosen:
        table = Table("figure", "measured", "target", "", title=section.title, title_justify="left")
        work = Work(section)
        with console.status(section.title):
            section.function(work)
        peers = any(claim.note for claim in work.claims)
        if peers:
            table.add_column("others")
        for claim in work.claims:
            cells = (claim.claim, str(claim.ours), str(claim.paper), MARKS[claim.judged])
            table.add_row(*cells, *([claim.note] if peers else []))
            missed += claim.judged == "does not hold"
        console.print(table)
    return 1 if missed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measure and print.")
    parser.add_argument("words", nargs="*", metavar="WORD", help="in the titles of sections")
    sys.exit(main(parser.parse_args().words))
