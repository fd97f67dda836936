"""The ready-made programs: what they put is what numpy works out, under every kind of barrier."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.sim.cores.emulator import Run, emulate, world
from tests.sim.cores.systems import mesh, program

MESH = mesh(8, 8)
BARRIERS = ["engine", "dissemination"]
WORD = (1 << 32) - 1


def run(name: str, barrier: str, cores: int, **defines: int) -> Run:
    """Run a program to its end, on emulated cores."""
    made = program(name, barrier, MESH, **defines)
    done = emulate(made, MESH, cores, [world(cores)], seed=cores)
    assert done.faults == []
    assert done.stands == {}
    assert set(done.exits.values()) == {0}
    return done


def xorshift(s: int) -> int:
    s ^= s << 13 & WORD
    s ^= s >> 17
    return s ^ s << 5 & WORD


def test_hello() -> None:
    done = run("hello", "engine", 5)
    assert done.texts == dict.fromkeys(range(5), "hello, world\n")
    assert [done.values(core) for core in range(5)] == [[core] for core in range(5)]


def jacobi(rows: int, columns: int, steps: int) -> NDArray[np.int64]:
    plate = np.zeros((rows + 2, columns + 2), dtype=np.int64)
    plate[0, 1:-1] = 1_000_000
    for _ in range(steps):
        inside = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
        plate[1:-1, 1:-1] = inside // 4
    return plate[1:-1, 1:-1]


@pytest.mark.parametrize("barrier", BARRIERS)
@pytest.mark.parametrize(
    ("cores", "rows", "columns"),
    [
        (3, 7, 20),
        pytest.param(16, 64, 16, marks=pytest.mark.nightly),
        pytest.param(1, 5, 4, marks=pytest.mark.nightly),
    ],
)
def test_jacobi(barrier: str, cores: int, rows: int, columns: int) -> None:
    done = run("jacobi", barrier, cores, ROWS=rows, COLUMNS=columns)
    put = [done.values(core) for core in range(cores)]
    assert {of_core[0] for of_core in put} == {12}
    found = np.concatenate([of_core[1:] for of_core in put]).reshape(rows, columns)
    assert np.array_equal(found, jacobi(rows, columns, 12))


def test_jacobi_ends_when_nothing_changes() -> None:
    done = run("jacobi", "engine", 2, ROWS=2, COLUMNS=2, STEPS=1000)
    steps = done.values(0)[0]
    assert steps % 4 == 0
    assert 4 < steps < 100
    assert np.array_equal(jacobi(2, 2, steps), jacobi(2, 2, steps - 1))
    assert not np.array_equal(jacobi(2, 2, steps - 4), jacobi(2, 2, steps - 5))


@pytest.mark.parametrize("barrier", BARRIERS)
@pytest.mark.parametrize(
    "cores", [*(pytest.param(n, marks=pytest.mark.nightly) for n in (1, 2)), 16]
)
def test_sort(barrier: str, cores: int) -> None:
    keys = []
    for core in range(cores):
        word = 0x9E3779B9 * (core + 1) & WORD
        for _ in range(32):
            keys.append(word := xorshift(word))
    done = run("sort", barrier, cores)
    found = np.concatenate([done.values(core) for core in range(cores)])
    assert np.array_equal(found, np.sort(keys))


def test_sort_refuses_what_is_no_power_of_two() -> None:
    done = emulate(program("sort"), MESH, 3, [world(3)])
    assert done.exits == dict.fromkeys(range(3), 2)


@pytest.mark.parametrize("barrier", BARRIERS)
def test_bfs(barrier: str) -> None:
    cores, vertices = 16, 512
    edges = []
    for v in range(vertices):
        word = 0x9E3779B9 * (v + 1) & WORD
        for _ in range(3):
            word = xorshift(word)
            edges.append((v, (word >> 8) % vertices))
    reach = np.zeros((vertices, vertices), dtype=bool)
    reach[tuple(np.transpose(edges))] = True
    levels = np.full(vertices, WORD)
    front, level = np.arange(vertices) == 0, 0
    while front.any():
        levels[front] = level
        front, level = reach[front].any(axis=0) & (levels == WORD), level + 1
    done = run("bfs", barrier, cores)
    found = np.array([done.values(v % cores)[v // cores] for v in range(vertices)])
    assert np.array_equal(found, levels)


@pytest.mark.parametrize("barrier", BARRIERS)
@pytest.mark.parametrize(
    "cores", [*(pytest.param(n, marks=pytest.mark.nightly) for n in (2, 16)), 7]
)
def test_skins(barrier: str, cores: int) -> None:
    done = run("skins", barrier, cores)
    for core in range(cores):
        put = done.values(core)
        # A sum goes once round the ring, and gets 0 to 9 on its path.
        assert put[0] == put[2] == put[4] == (core - 10) % cores + 45
        assert put[6:] == [core // 2, core // 2]
