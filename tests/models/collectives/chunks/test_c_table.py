"""Schedules in chunks as a C header over MPI: it carries an allreduce out, and is C without MPI."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from syncfabric.models.collectives.chunks.c_table import c_table
from syncfabric.sim.ranks.launch import mpiexec
from tests.models.collectives.chunks.test_chakra import scheduled

PROGRAM = """
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include "table.h"
#define SIZE 3
static void add(void *into, const void *from, size_t size) {
    size_t n;
    for (n = 0; n < size / 8; n++) ((uint64_t *)into)[n] += ((const uint64_t *)from)[n];
}
int main(int argc, char **argv) {
    static uint64_t items[t_items][SIZE];
    int rank, i, n, wrong = 0, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (i = 0; i < t_items; i++)
        for (n = 0; n < SIZE; n++) items[i][n] = (uint64_t)(rank + 1) << 8 * n | (uint64_t)i << 48;
    if (t_run(items, sizeof items[0], add, MPI_COMM_WORLD)) wrong++;
    for (i = 0; i < t_items; i++)
        for (n = 0; n < SIZE; n++)
            wrong += items[i][n] != (((uint64_t)10 << 8 * n) + ((uint64_t)(4 * i) << 48));
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!rank) printf("%d wrong of %d\\n", all, t_items);
    MPI_Finalize();
    return 0;
}
"""


def test_the_header_carries_an_allreduce_out_between_ranks(tmp_path: Path) -> None:
    beside = Path(sys.executable).with_name("mpicc")
    compiler = str(beside) if beside.exists() else shutil.which("mpicc")
    assert compiler, "mpicc is missing: the extra mpi has it"
    text = c_table(scheduled("allreduce", "torus-4x1", 4 * 48, "trees", 2), "t")
    (tmp_path / "table.h").write_text(text)
    (tmp_path / "main.c").write_text(PROGRAM)
    command = [compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-o", "main", "main.c"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    ran = subprocess.run(
        mpiexec(4, ["./main"]), cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert (ran.stdout, ran.returncode) == ("0 wrong of 8\n", 0), ran.stderr


def test_the_header_is_c_without_mpi(tmp_path: Path) -> None:
    schedule = scheduled("broadcast", "ring-4", 8, "greedy")
    topology = replace(schedule.topology, name="a */ b")  # ends no comment
    (tmp_path / "t.h").write_text(c_table(replace(schedule, topology=topology), "broadcast_ring_4"))
    lines = (tmp_path / "t.h").read_text().splitlines()
    assert "enum { broadcast_ring_4_ranks = 4, broadcast_ring_4_items = 1, " in "\n".join(lines)
    compiler = shutil.which("cc")
    assert compiler, "cc is missing: g++ comes with one"
    program = '#include "t.h"\nint main(void) { return broadcast_ring_4_moves[0].kind; }\n'
    (tmp_path / "t.c").write_text(program)
    command = [compiler, "-std=c99", "-Wall", "-Werror", "-o", "t", "t.c"]
    subprocess.run([*command, "-Wno-unused"], cwd=tmp_path, check=True, timeout=120)
    assert subprocess.run([tmp_path / "t"], check=False).returncode == 0
