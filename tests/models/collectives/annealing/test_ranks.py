"""The same over MPI, with two ranks."""

import pytest

from tests.programs import run

PROGRAM = """
import sys
from syncfabric.models.collectives.annealing import solve as module
from syncfabric.models.collectives.annealing.team import led, ranks
from syncfabric.models.collectives.methods import solve
from tests.models.collectives.annealing.test_runs import HARD
module.EPOCH = 40_000
with led() as leads:
    if leads:
        for seed in (1, 2):
            found = solve("hgsa", HARD, 17, seed=seed, islands=2)
            print(ranks(), found.steps is not None, found.evaluations, hash(found.steps))
    else:
        print("worked", file=sys.stderr)
"""


def lines(ranks: int) -> tuple[list[list[str]], str]:
    done = run("-c", PROGRAM, ranks=ranks, PYTHONHASHSEED="0")
    assert done.returncode == 0, done.stderr
    return [line.split() for line in done.stdout.splitlines()], done.stderr


@pytest.mark.nightly
def test_two_ranks_find_what_two_processes_find() -> None:
    alone, _ = lines(0)
    ranked, errors = lines(2)
    assert [line[0] for line in alone] == ["1", "1"]
    assert [line[0] for line in ranked] == ["2", "2"]
    assert [line[1:] for line in alone] == [line[1:] for line in ranked]
    assert errors.count("worked") == 1
