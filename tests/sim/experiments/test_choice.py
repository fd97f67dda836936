"""The experiments that can be named."""

from pathlib import Path

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.sim.experiments.choice import EXPERIMENTS, chosen


def test_every_experiment_is_there() -> None:
    for name, experiment in EXPERIMENTS.items():
        assert experiment.name == name
        assert callable(experiment.function)
        assert experiment.function.__doc__


def test_every_experiment_is_documented() -> None:
    docs = Path(__file__).parents[3] / "docs"
    text = "".join((docs / page).read_text() for page in ("reproduce.md", "papers.md"))
    assert [name for name in EXPERIMENTS if name not in text] == []


def test_names_are_looked_up() -> None:
    assert [e.name for e in chosen(["evo-fig7", "evo-table4", "evo-fig7"])] == [
        "evo-fig7",
        "evo-table4",
    ]
    assert chosen(["evo-fig7", "all"]) == list(EXPERIMENTS.values())
    with pytest.raises(
        SpecError, match='unknown experiment "evo-tabel4"; did you mean "evo-table4"'
    ):
        chosen(["evo-tabel4"])
    with pytest.raises(SpecError, match=r"name an experiment, or all; --list shows them$"):
        chosen([])
