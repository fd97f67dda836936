"""Measure and print. Words on the command line choose sections by their titles."""

import argparse
import sys

from rich.console import Console
from rich.table import Table

from syncfabric.sim.figures.area import area, generic_area
from syncfabric.sim.figures.area_parts import area_parts
from syncfabric.sim.figures.campaign import campaigns
from syncfabric.sim.figures.capacity import capacity
from syncfabric.sim.figures.collectives import collectives
from syncfabric.sim.figures.cores import core_barriers, core_groups, core_programs
from syncfabric.sim.figures.cores_skew import core_names, core_reductions, core_skew
from syncfabric.sim.figures.cores_static import core_reflex
from syncfabric.sim.figures.latency import (
    barrier_latency,
    irregular_latency,
    many_groups,
    options_latency,
)
from syncfabric.sim.figures.mboa import mboa
from syncfabric.sim.figures.network_area import network_area
from syncfabric.sim.figures.planning import irregular_planning
from syncfabric.sim.figures.rings import ring_planning, static_latency, static_speed
from syncfabric.sim.figures.row import Section
from syncfabric.sim.figures.schedule_growth import schedule_growth
from syncfabric.sim.figures.schedules import schedule_search
from syncfabric.sim.figures.schemes import schemes
from syncfabric.sim.figures.size import planning, verilog_size
from syncfabric.sim.figures.soak import soaks
from syncfabric.sim.figures.speed import growth, irregular_speed, speed
from syncfabric.sim.figures.traffic import ordinary_packets
from syncfabric.sim.figures.wire_latency import wire_latency, wires_beside
from syncfabric.sim.figures.wire_slots import wire_slots
from syncfabric.sim.figures.wire_speed import wire_speed

SECTIONS: tuple[Section, ...] = (
    barrier_latency,
    options_latency,
    irregular_latency,
    many_groups,
    schemes,
    ordinary_packets,
    speed,
    irregular_speed,
    growth,
    soaks,
    campaigns,
    verilog_size,
    planning,
    irregular_planning,
    wire_slots,
    capacity,
    wire_latency,
    wires_beside,
    wire_speed,
    area,
    area_parts,
    generic_area,
    network_area,
    static_latency,
    static_speed,
    ring_planning,
    collectives,
    core_barriers,
    core_skew,
    core_reductions,
    core_names,
    core_programs,
    core_groups,
    core_reflex,
    mboa,
    schedule_search,
    schedule_growth,
)


def main(words: list[str]) -> int:
    """Print the chosen sections; return 1 if a target is missed, 2 if there is no such section."""
    console, missed = Console(), 0
    titles = {(section.__doc__ or "").splitlines()[0].rstrip("."): section for section in SECTIONS}
    chosen = {
        title: section
        for title, section in titles.items()
        if not words or any(word.lower() in title.lower() for word in words)
    }
    if not chosen:
        print(f"error: no section has that in its title; titles are {'; '.join(titles)}")
        return 2
    for title, section in chosen.items():
        table = Table("figure", "measured", "target", "", title=title, title_justify="left")
        with console.status(title):
            rows = list(section())
        if any(row.peers for row in rows):
            table.add_column("others")
        for row in rows:
            mark = {True: "met", False: "[red]missed[/red]", None: ""}[row.met]
            beside = [row.peers] if any(row.peers for row in rows) else []
            table.add_row(row.figure, row.measured, row.target, mark, *beside)
            missed += row.met is False
        console.print(table)
    return 1 if missed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measure and print.")
    parser.add_argument("words", nargs="*", metavar="WORD", help="in the titles of sections")
    sys.exit(main(parser.parse_args().words))
