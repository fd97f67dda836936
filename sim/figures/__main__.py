"""Measure and print. Words on the command line choose sections by their titles."""

import sys

from rich.console import Console
from rich.table import Table

from syncfabric.sim.figures.latency import barrier_latency, irregular_latency, options_latency
from syncfabric.sim.figures.planning import irregular_planning
from syncfabric.sim.figures.reflex_model import reflex_model
from syncfabric.sim.figures.row import Section
from syncfabric.sim.figures.size import planning, verilog_size
from syncfabric.sim.figures.speed import growth, irregular_speed, speed
from syncfabric.sim.figures.traffic import ordinary_packets

SECTIONS: tuple[Section, ...] = (
    barrier_latency,
    options_latency,
    irregular_latency,
    ordinary_packets,
    speed,
    irregular_speed,
    growth,
    verilog_size,
    planning,
    irregular_planning,
    reflex_model,
)


def main(words: list[str]) -> int:
    """Print the chosen sections; return 1 if a target is missed."""
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
            for row in section():
                mark = {True: "met", False: "[red]missed[/red]", None: ""}[row.met]
                table.add_row(row.figure, row.measured, row.target, mark)
                missed += row.met is False
        console.print(table)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
