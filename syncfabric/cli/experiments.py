"""Tables of experiments: what there is, and what came out."""

from typing import TYPE_CHECKING

from syncfabric.cli.options import console, print_json
from syncfabric.sim.reproduce.claim import words
from syncfabric.sim.tables import Titled, print_table

if TYPE_CHECKING:
    from syncfabric.sim.reproduce.experiment import Experiment, Work

__all__ = ["list_experiments", "print_work"]


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
    content = ["claim", "paper", "ours", "ratio", "verdict"], rows
    print_table(console(), Titled(title + rest, content, _terms(work), ("claim", "verdict")))


def list_experiments(experiments: list["Experiment"], as_json: bool) -> None:
    """Print the experiments, and the parameters of each."""
    if as_json:
        print_json([experiment.to_json() for experiment in experiments])
        return
    rows = [
        [e.name, e.title, e.place, "yes" if e.rtl else "", *map(words, (e.runs, e.time_limit))]
        for e in experiments
    ]
    heads = ["experiment", "what it shows", "where", "--rtl", "runs", "limit, s"]
    print_table(console(), Titled("experiments", (heads, rows), words=tuple(heads[:4])))
    rows = [
        [e.name, p.name, p.words, *map(words, (p.value, p.least, p.most))]
        for e in experiments
        for p in e.parameters
    ]
    if rows:
        heads = ["experiment", "parameter", "what it is", "default", "least", "most"]
        titled = Titled("parameters, for --set", (heads, rows), words=tuple(heads[:3]))
        print_table(console(), titled)


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
