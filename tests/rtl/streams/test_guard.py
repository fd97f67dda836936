# amaranth: UnusedElaboratable=no
"""Guards of streams' links against their golden models, in every cycle, whatever is lost."""

import random

import pytest

from tests.nightly import long_by_night, nightly_but
from tests.rtl.planes.lockstep import together
from tests.rtl.streams.guard_lockstep import FAULTS, GuardedPair, GuardLockstep
from tests.rtl.streams.layouts import layout_of
from tests.rtl.support import SEED

CYCLES = 3000
LAYOUTS = {
    "one": layout_of(check_bits=8),
    "two, a check bit": layout_of(2, check_bits=1, registers=1),
    "two, wide": layout_of(2, 256, check_bits=8, registers=2),
    "four": layout_of(4, 64, check_bits=8, registers=3),
    "two, among packets": layout_of(2, 64, check_bits=8, registers=1, shared=True),
}


@pytest.mark.parametrize(
    ("name", "cycles"),
    long_by_night(["one", "two, wide", "two, among packets"], LAYOUTS, 1500, 3000),
)
def test_guards_do_what_their_models_do(name: str, cycles: int) -> None:
    layout = LAYOUTS[name]
    lockstep = GuardLockstep(layout, random.Random(f"{SEED} {name}"))
    seen = together(GuardedPair(layout), lockstep, SEED, cycles)
    assert all(seen[what] > 2 for what in (*FAULTS, "corrupt", "lost", "came", "instances")), seen


@pytest.mark.parametrize(
    "name", nightly_but(["two, among packets"], ["two, wide", "two, among packets"])
)
@pytest.mark.parametrize("cycles", nightly_but([6000], [6000, 30_000]))
@pytest.mark.parametrize("kind", FAULTS)
def test_a_loss_of_any_kind_is_found(kind: str, cycles: int, name: str) -> None:
    """The models alone: no word behind a loss, none that is missed, and all places come back."""
    lockstep = GuardLockstep(LAYOUTS[name], random.Random(f"{SEED} {kind}"), (kind,))
    for _ in range(cycles):
        lockstep.step()
    seen = lockstep.seen
    assert seen[kind] > 10
    assert (seen["lost"] > 0) == (kind not in ("back", "lose")), seen


def test_without_faults_all_is_as_without_guards() -> None:
    lockstep = GuardLockstep(LAYOUTS["one"], random.Random(SEED), ())
    for _ in range(CYCLES):
        pins, expected = lockstep.step()
        assert expected["far__valid"].value == pins["near__valid"]
        assert expected["far__fault"].value == pins["near__fault"]
        assert expected["near__credit"].value == pins["far__credit"]
    assert lockstep.seen.keys() == {"came", "instances"} | {"corrupt", "lost"}
    assert not lockstep.seen["corrupt"] + lockstep.seen["lost"]
