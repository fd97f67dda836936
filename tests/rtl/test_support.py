# amaranth: UnusedElaboratable=no
"""The scoreboard's report, and the harness's ports."""

import pytest
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from tests.rtl.support import Harness, Scoreboard, ports


def test_failure_names_cycle_seen_expected_stimulus_and_seed() -> None:
    board = Scoreboard("unit", seed=7)
    board.compare(3, seen={"a": 1, "b": 2}, expected={"a": 1}, stimulus="")
    message = (
        r"^unit: cycle 4: b = 0x2, expected 0x3, c = 0x10, expected 0x0; "
        r"stimulus \{'go': 1\}; seed 7$"
    )
    with pytest.raises(AssertionError, match=message):
        board.compare(
            4,
            seen={"a": 1, "b": 2, "c": 16},
            expected={"a": 1, "b": 3, "c": 0},
            stimulus={"go": 1},
        )
    assert board.compared == 2


def test_same_seed_and_name_give_the_same_stimuli() -> None:
    first, again, other = (Scoreboard(name).rng.random() for name in ("a", "a", "b"))
    assert first == again != other


def test_rack_has_the_ports_of_its_parts() -> None:
    class Part(wiring.Component):
        def __init__(self) -> None:
            link = wiring.Signature({"flit": Out(5), "credit": In(1)})
            super().__init__({"x": In(3), "none": In(0), "link": Out(link)})

    assert ports(Part()) == {
        "link__credit": ("in", 1),
        "link__flit": ("out", 5),
        "none": ("in", 0),
        "x": ("in", 3),
    }
    assert set(ports(Harness({"one": Part(), "two": Part()}))) == {
        f"{part}__{port}" for part in ("one", "two") for port in ports(Part())
    }
