"""Tables of experiments: what there is, and what came out."""

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from syncfabric.cli.options import console, print_json
from syncfabric.cli.tables import Titled, print_table
from syncfabric.sim.reproduce.claim import words

if TYPE_CHECKING:
    from syncfabric.sim.reproduce.experiment import Experiment, Work

__all__ = ["list_experiments", "print_work"]

WIDEST = 84
"""Letters of a line of words; what is longer goes on in the next."""


def print_work(work: "Work", whole: bool) -> None:
    """Print an experiment's claims.

    Parameters
    ----------
    work : Work
    whole : bool
        Whether it came to its end.
    """
    rows = [[c.text, *map(words, (c.paper, c.ours, c.ratio)), c.standing] for c in work.claims]
    experiment = work.experiment
    title = f"{experiment.name}: {experiment.title} ({experiment.place})"
    rest = "" if whole else "; interrupted, so not whole"
    table = _table(["claim"], ["paper", "ours", "ratio"], rows, "verdict")
    print_table(console(), Titled(title + rest, table, _terms(work)))


def list_experiments(experiments: list["Experiment"], as_json: bool) -> None:
    """Print the experiments, and the parameters of each."""
    if as_json:
        print_json([experiment.to_json() for experiment in experiments])
        return
    rows = [
        [e.name, e.title, e.place, "yes" if e.rtl else "", *map(words, (e.runs, e.time_limit))]
        for e in experiments
    ]
    heads = ["experiment", "what it shows", "where", "--rtl"]
    print_table(console(), Titled("experiments", _table(heads, ["runs", "limit, s"], rows)))
    rows = [
        [e.name, p.name, p.words, *map(words, (p.value, p.least, p.most))]
        for e in experiments
        for p in e.parameters
    ]
    if rows:
        heads = ["experiment", "parameter", "what it is"]
        table = _table(heads, ["default", "least", "most"], rows)
        print_table(console(), Titled("parameters, for --set", table))


def _table(
    heads: list[str], numbers: list[str], rows: list[list[str]], last: str | None = None
) -> Table:
    """Return a table whose columns of numbers are at the right, before a last one of words."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for head in heads:
        table.add_column(head, max_width=WIDEST)
    for head in numbers:
        table.add_column(head, justify="right", vertical="bottom", no_wrap=True)
    if last is not None:
        table.add_column(last, vertical="bottom", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _terms(work: "Work") -> str:
    """Say how many runs there are, how long they may take, and what was set."""
    experiment, parts = work.experiment, []
    if experiment.runs is not None:
        parts.append(f"{work.runs} runs of an entry, seeds from {work.seed}")
    if experiment.time_limit is not None:
        parts.append(f"a run is cut off after {work.time_limit:g} s")
    parts += [f"{name} = {value:,}" for name, value in work.chosen.items()]
    if work.rtl:
        parts.append(f"hardware at {work.clock_mhz:g} MHz")
    return "; ".join(parts)
