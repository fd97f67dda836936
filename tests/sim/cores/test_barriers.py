"""Barriers and reductions in software: right whatever comes late."""

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path

import pytest

from syncfabric.models.messages.boot import BootGroup
from syncfabric.models.messages.registers import Op
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.sim.cores.compile import compile_program
from syncfabric.sim.cores.program import Program
from tests.nightly import nightly_but
from tests.sim.cores.emulator import emulate, world
from tests.sim.cores.systems import MESSAGES, break_software, early, mesh, program

EPISODES = 20
MESH = mesh(8, 8)
SIZES = (1, 2, 3, 5, 16)
ALL_SIZES = (*range(1, 10), 13, 15, 17, 31, 32, 33, 63, 64)


def play(made: Program, sizes: Sequence[int] = SIZES) -> tuple[int, int]:
    """Run barriers of many sizes, and messages fast and slow; count early ones, and hung cores."""
    wrong = hung = 0
    for cores in sizes:
        for seed in range(3):
            slowest = (2, 40, 400)[seed]
            run = emulate(made, MESH, cores, [world(cores)], seed=seed, slowest=slowest)
            assert not run.faults
            hung += len(run.stands)
            wrong += (
                0 if run.stands else early([run.values(core) for core in range(cores)], EPISODES)
            )
    return wrong, hung


@pytest.mark.parametrize("barrier", nightly_but(["engine", "tree"], ["engine", *MESSAGES]))
def test_no_core_leaves_before_the_last_one_comes(barrier: str) -> None:
    assert play(program("barrier", barrier, SKEW=500)) == (0, 0)


@pytest.mark.nightly
@pytest.mark.parametrize("barrier", ["engine", *MESSAGES])
@pytest.mark.parametrize("skew", [0, 500, 10_000])
def test_no_core_of_any_number_leaves_before_the_last_one_comes(barrier: str, skew: int) -> None:
    assert play(program("barrier", barrier, SKEW=skew), ALL_SIZES) == (0, 0)


BREAKS = {
    "a round is left out": (
        "dissemination",
        "rounds = group->rounds;",
        "rounds = group->rounds - 1u;",
    ),
    "a child is not awaited": (
        "tree",
        "sf_await_many(code + SF_UP, group->children);",
        "sf_await_many(code + SF_UP, group->children - 1u);",
    ),
    "one fewer is counted": ("central", "group->size - 1u)", "group->size - 2u)"),
    "a beaten one is not awaited": (
        "tournament",
        "round < group->children; round++",
        "round + 1u < group->children; round++",
    ),
    "the release is not awaited": ("central", "sf_await(down);", ""),
}


@pytest.mark.parametrize(
    "name", nightly_but(["a round is left out", "a child is not awaited"], BREAKS)
)
def test_a_wrong_barrier_is_seen(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    barrier, right, wrong = BREAKS[name]
    break_software(monkeypatch, tmp_path, "sf_barriers.c", right, wrong)
    early_ones, hung = play(program("barrier", barrier, SKEW=500), (4, 7, 16))
    assert early_ones + hung > 0


def test_a_signal_counted_as_one_of_the_next_barrier_is_found() -> None:
    """Barriers back to back, with messages that overtake each other by far."""
    for barrier in MESSAGES:
        made = program("barrier", barrier, SKEW=500)
        for seed in range(2):
            run = emulate(made, MESH, 9, [world(9)], seed=seed, slowest=2000)
            assert early([run.values(core) for core in range(9)], EPISODES) == 0


SOURCE = Path(__file__).with_name("programs") / "reduce.c"
REDUCTIONS, WORD = 12, (1 << 32) - 1
COMBINE: dict[Op, Callable[[int, int], int]] = {
    **{Op.OR: operator.or_, Op.AND: operator.and_, Op.XOR: operator.xor},
    **{Op.MAX: max, Op.MIN: min, Op.SUM: operator.add},
}


def values_of(core: int) -> list[int]:
    """Return what a core gives in each reduction: xorshift32."""
    state, found = 0x9E3779B9 * (core + 1) & WORD, []
    for _ in range(REDUCTIONS):
        state ^= state << 13 & WORD
        state ^= state >> 17
        state ^= state << 5 & WORD
        found.append(state)
    return found


def wrong(made: Program, cores: int, op: Op, bits: int, seed: int) -> int:
    """Count results that are wrong, and cores that do not end well."""
    group = BootGroup(0, tuple(range(cores)), (0,) * cores, op)
    slowest = (40, 400)[seed % 2]
    run = emulate(made, spec_of(bits), cores, [group], seed=seed, slowest=slowest)
    assert not run.faults
    mask = (1 << bits) - 1
    each = zip(*(values_of(core) for core in range(cores)), strict=True)
    right = [reduce(COMBINE[op], (value & mask for value in values)) & mask for values in each]
    bad = sum(run.exits.get(core) != 0 for core in range(cores))
    return bad + sum(run.values(core) != right for core in range(cores))


def compiled(bits: int) -> Program:
    defines = {"EPISODES": str(REDUCTIONS)}
    return compile_program(SOURCE, spec=spec_of(bits), barrier="dissemination", defines=defines)


def spec_of(bits: int) -> NetworkSpec:
    return mesh(8, 8, data_bits=bits, operations="all", flit_bits=64)


@pytest.mark.parametrize("bits", [pytest.param(32, marks=pytest.mark.nightly), 5])
def test_every_operation_combines_what_all_gave(bits: int) -> None:
    made = compiled(bits)
    for op in Op:
        for cores in (2, 6, 17):
            assert wrong(made, cores, op, bits, seed=int(op) + cores) == 0


@pytest.mark.nightly
def test_a_ninth_group_of_the_file_is_not_mixed_up_with_others() -> None:
    """There are no tags for it: a core that has to give it up stops, and none goes on wrongly."""
    spec = mesh(3, 3, data_bits=0, groups=9, flit_bits=64)
    made = compile_program(SOURCE, spec=spec, barrier="engine", defines={"EPISODES": "1"})
    pairs = [(0, 1) if gid <= 4 else (2, 3) for gid in range(1, 9)]
    others = [BootGroup(gid, pair, (gid - 1,) * 2) for gid, pair in enumerate(pairs, 1)]
    run = emulate(made, spec, 4, [*others, BootGroup(0, (0, 1, 2, 3), (8,) * 4)], limit=20_000)
    assert sorted(run.faults) == [(core, "sf_tree_reduce", "PACKET") for core in (1, 2, 3)]
    assert not run.exits


WRONG = {
    "a child is not awaited": ("while (--count);", "while (--count > 1);"),
    "a kept member is forgotten": ("if (sf_values_kept &&", "if (0 &&"),
    "what was kept counts again": ("sf_values_kept &= ~(15u << 4 * group->slot);", ""),
    "the greatest is taken for the least": ("result > given ? result", "result < given ? result"),
    "a sum has more bits": ("count, value) & mask;", "count, value);"),
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_reduction_is_seen(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, broken = WRONG[name]
    break_software(monkeypatch, tmp_path, "sf_barriers.c", right, broken)
    made = compiled(5)
    assert any(wrong(made, 17, op, 5, seed) for op in (Op.MAX, Op.SUM) for seed in range(4))
