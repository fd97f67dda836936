"""Mutants of netlists: what judges them is right about those that can be told by hand."""

from pathlib import Path

import pytest

from syncfabric.rtl.static.switch import StaticSwitch
from tests.mutation.netlist.aiger import Model
from tests.mutation.netlist.benches import plays_of
from tests.mutation.netlist.blocks import BLOCKS
from tests.mutation.netlist.build import mutants_of
from tests.mutation.netlist.classifier import classify
from tests.mutation.netlist.run import killed_by, score
from tests.mutation.netlist.simulated import is_red
from tests.rtl.static import bench_switch

SWITCH = BLOCKS[0]
# One flip-flop that takes the `and` of two inputs; its value is the claim.
AND = b"aig 4 2 1 0 1 1 0 0 0\n8\n6\n" + bytes((8 - 4, 4 - 2))


def test_a_model_with_nothing_fixed_is_as_it_was() -> None:
    assert Model.read(AND).fixed({}, [0]) == AND.replace(b" 1 0 0 0\n", b" 1 0\n")


@pytest.mark.parametrize("value", [0, 1])
def test_an_input_becomes_a_constant(value: int) -> None:
    changed = Model.read(Model.read(AND).fixed({1: value}, [0]))
    assert changed.ands == ((2, value),)


@pytest.mark.nightly
@pytest.mark.mutants
def test_the_original_is_the_same_as_itself_and_broken_ones_are_not() -> None:
    """Number 0 is no mutant; of others that the bench kills, the proof's claims fail too."""
    mutants = mutants_of(SWITCH.make(), 20, 1)
    places = killed_by(SWITCH.benches(), mutants)
    killed = [number for number, place in places.items() if place is not None][:4]
    outcomes = {n: found.outcome for n, found in classify(SWITCH, mutants, [0, *killed])}
    assert outcomes.pop(0) == "equivalent"
    assert "equivalent" not in outcomes.values()


@pytest.mark.nightly
@pytest.mark.mutants
def test_twenty_mutants_of_the_static_switch() -> None:
    found = score(SWITCH, 20, 1, 60)
    assert found.outcomes["bench"] > 15
    assert found.percent >= 95, found.alive


@pytest.mark.nightly
@pytest.mark.mutants
def test_a_simulator_agrees(tmp_path: Path) -> None:
    """A dozen mutants in the simulator, under the bench as it is: red where they were red here."""
    case = "switch_2_1_2"
    mutants = mutants_of(StaticSwitch(bench_switch.CASES[case]), 40, 2)
    (play,) = plays_of(bench_switch, case)
    left = [n for n, place in killed_by([play], mutants).items() if place is None]
    assert len(left) < 5
    for number in {0, *range(1, 13), *left[:2]}:
        red = is_red(mutants, bench_switch.__name__, case, number, tmp_path, 1)
        assert red == (number > 0 and number not in left), mutants.texts[number - 1]
