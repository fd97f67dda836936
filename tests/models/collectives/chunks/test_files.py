"""Files of schedules in chunks: ours, traces of Chakra, and a C header: over MPI an allreduce."""

import json
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.collectives.chunks.files import (
    c_table,
    load_any,
    read,
    trace_bytes,
    trace_json,
    traces_of,
)
from syncfabric.models.collectives.chunks.schedule import (
    Chunked,
    Exchange,
    Schedule,
    Send,
    chunked_kind,
)
from syncfabric.models.collectives.chunks.search import search
from syncfabric.models.collectives.files import load_schedule, load_topology, write_json
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.topology import linked
from syncfabric.models.errors import SpecError
from syncfabric.sim.ranks.launch import mpiexec

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


def values() -> dict[str, Any]:
    found = search(load_topology("dgx-1"), "allreduce", 4096, (2,)).best.schedule.to_json()
    copied: dict[str, Any] = json.loads(json.dumps(found))
    return copied


def test_a_schedule_comes_back(tmp_path: Path) -> None:
    schedule = search(load_topology("dgx-1"), "reduce", 4096, (2,), root=3).best.schedule
    path = tmp_path / "s.json"
    write_json(schedule.to_json(), path)
    assert load_any(path) == schedule
    assert schedule.topology.links[0].beta == Fraction(1, 25)
    with pytest.raises(SpecError, match=r"s\.json: schedule: it is in chunks"):
        load_schedule(path)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("collective", "multicast", "schedule: collective: "),
        ("lengths", [[0, 1, 1]], "schedule: lengths: they take a cut's place"),
        ("bytes", 0, "schedule: bytes: "),
        ("bytes", 2**60, "schedule: bytes: "),
        ("chunks", 0, "schedule: chunks: "),
        ("chunks", 10**11, "chunks must be at most 262,144 with 8 ranks"),
        ("root", 8, "root must be a rank, 0 to 7"),
        ("root", 1, "schedule: root: allreduce has none"),
        ("cut", [[0], [0, 1]], "cut: "),
        ("times", [[9, "1"]], "times: "),
        ("times", [[0, "1/0"]], r"schedule: times\[0\]\[1\]: it must be a number up to"),
        ("times", [[0, "-3"]], r"schedule: times\[0\]\[1\]: it must be a number up to"),
        ("times", [[1, "3"], [1, "4"]], "times: a vertex has one time, not two"),
        ("sends", [[0, 0, "copy", 0]], r"schedule: sends\[0\]: it must be share"),
        ("sends", [[0, 0, "move", 0, 1]], 'must be "copy" or "combine", not "move"'),
        ("sends", [[8, 0, "copy", 0, 1]], "there is no share 8"),
        ("sends", [[0, 2, "copy", 0, 1]], "there is no share 0, part 2"),
        ("sends", [[0, 0, "copy", 0, 5]], r"no channel \[0, 5\]"),
        ("sends", [[0, 0, "copy", 0, 1, 2]], "past switches alone"),
        ("sends", [[0, 0, "copy", 0, "1"]], "it must be share"),
        ("in_chunks", {"cut": [[0], [0, 1]]}, "cut: it must be a set"),
        ("in_chunks", {"cut": [[0]], "more": 1}, r"schedule: in_chunks\.more: "),
        ("in_chunks", {"times": [[0, "1"]]}, "there is no cut"),
        ("more", 1, "schedule: more: "),
    ],
)
def test_malformed_files(key: str, value: Any, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        read(values() | {key: value})


@pytest.mark.parametrize(
    ("links", "said"),
    [
        (None, "links is missing"),
        ([[1, 1, 1]], "links must be as many as channels"),
        ([[-1, 1, 1]] * 32, "alpha must be 0 or more"),
        ([[1, 0, 1]] * 32, "beta above 0"),
        ([[1, 1, 0]] * 32, "lanes 1 or more"),
        ([[1, 1, 1.5]] * 32, r"topology: links\[0\]\[2\]"),
    ],
)
def test_links_of_files(links: Any, said: str) -> None:
    found = values()
    found["topology"]["links"] = links
    if links is None:
        del found["topology"]["links"]
    with pytest.raises(SpecError, match=said):
        read(found)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("allreduce", "allreduce"),
        ("MPI_Allreduce", "allreduce"),
        ("ncclAllReduce", "allreduce"),
        ("AAB", "allgather"),
        ("bcast", "broadcast"),
        ("MPI_Reduce_scatter", "reduce-scatter"),
        ("AOR", "reduce"),
        ("MPI_Alltoall", "alltoall"),
        ("ncclScatter", "scatter"),
        ("AOG", "gather"),
    ],
)
def test_names(name: str, kind: str) -> None:
    assert chunked_kind(name) == kind


@pytest.mark.parametrize(
    ("name", "said"),
    [("AAR2", "unknown"), ("multicast", "in steps alone"), ("allreduze", "unknown")],
)
def test_names_of_others(name: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        chunked_kind(name)


def test_links_are_as_exact_as_they_were() -> None:
    """A third of a nanosecond is no float: the bound of a schedule is met in its file, too."""
    topology = load_topology("dgx-a100-pair")
    schedule = search(topology, "alltoall", 2**26, (1,), methods=("paths",)).best.schedule
    again = read(json.loads(json.dumps(schedule.to_json())))
    assert again == schedule
    assert again.topology.links[0].beta == Fraction(1, 300)
    values = schedule.to_json()
    for cost in ("1/0", "-1", "x", 1e13, float("nan"), None, True):
        values["topology"]["links"][3][1] = cost
        with pytest.raises(SpecError, match=r"links\[3\]\[1\]: it must be a number up to"):
            read(values)


def scheduled(kind: Chunked, name: str, size: int, method: str, parts: int = 1) -> Schedule:
    topology = linked(named(name), Fraction(1000), Fraction(1))
    return search(topology, kind, size, (parts,), methods=(method,)).best.schedule


def test_a_trace_has_both_ends_of_every_send() -> None:
    schedule = scheduled("allreduce", "ring-4", 256, "trees", 2)
    traces = traces_of(schedule)
    ends = Counter((node.source, node.target, node.tag) for nodes in traces for node in nodes)
    assert len(ends) == len(schedule.sends)
    assert set(ends.values()) == {2}
    for rank, nodes in enumerate(traces):
        assert [node.number for node in nodes] == list(range(len(nodes)))
        for node in nodes:
            assert (node.source if node.kind == 5 else node.target) == rank
            assert node.size == 32
            assert all(need < node.number for need in node.needs)


def test_what_is_overwritten_has_been_sent_before() -> None:
    topology = linked(named("mesh-2x1"), Fraction(1), Fraction(1))
    sends = Send(0, (0, 1), True), Send(0, (1, 0), False), Send(1, (1, 0), True)
    schedule = Schedule(topology, Exchange("allreduce", 2, 2), sends)
    needs = [[(node.kind, node.needs) for node in nodes] for nodes in traces_of(schedule)]
    assert needs == [[(5, ()), (6, (0,)), (6, ())], [(6, ()), (5, (0,)), (5, ())]]


def test_traces_carry_the_schedule_out_in_any_order_that_they_allow() -> None:
    schedule = scheduled("allreduce", "mesh-3x2", 6 * 8, "trees")
    sends, nodes = schedule.sends, traces_of(schedule)
    everyone = (1 << 6) - 1
    has = [[1 << rank for rank in range(6)] for _ in range(schedule.exchange.items)]
    done = [set[int]() for _ in nodes]
    flying: dict[int, int] = {}
    left = sum(map(len, nodes))
    while left:
        # The last nodes first: as unlike the schedule as can be.
        for rank in reversed(range(6)):
            for node in reversed(nodes[rank]):
                if node.number in done[rank] or not done[rank].issuperset(node.needs):
                    continue
                item, _, combine = sends[node.tag]
                if node.kind == 5:
                    flying[node.tag] = has[item][rank]
                elif node.tag not in flying:
                    continue
                else:
                    kept = has[item][rank] if combine else 0
                    assert not kept & flying[node.tag]
                    has[item][rank] = kept | flying[node.tag]
                done[rank].add(node.number)
                left -= 1
                break
    assert has == [[everyone] * 6] * schedule.exchange.items


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at


def fields(data: bytes) -> list[tuple[int, int | bytes]]:
    """Decode a message of Protocol Buffers: numbers, and blocks as bytes."""
    found: list[tuple[int, int | bytes]] = []
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            found.append((key >> 3, data[at : at + value]))
            at += value
        else:
            assert key & 7 == 0
            found.append((key >> 3, value))
    return found


def test_both_forms_of_a_trace_say_the_same() -> None:
    nodes = traces_of(scheduled("allgather", "ring-8", 300, "greedy"))[3]
    data, messages = trace_bytes(nodes), list[bytes]()
    at = 0
    while at < len(data):
        size, at = varint(data, at)
        messages.append(data[at : at + size])
        at += size
    assert fields(messages[0]) == [(1, b"0.0.4")]
    listed = trace_json(nodes)["workload_graph"]
    assert json.loads(json.dumps(listed)) == listed
    assert len(messages) == 1 + len(listed) == 1 + 14
    types = {b"is_cpu_op": 27, b"comm_size": 9, b"comm_src": 7, b"comm_dst": 7, b"comm_tag": 7}
    for message, node in zip(messages[1:], listed, strict=True):
        read = fields(message)
        one = {field: value for field, value in read if field not in (5, 10)}
        assert one.get(1, 0) == node["Id"]
        assert (one[2], one[3]) == (node["Name"].encode(), node["NodeType"])
        packed = [value for field, value in read if field == 5 and isinstance(value, bytes)]
        deps, place = [], 0
        for block in packed:
            while place < len(block):
                need, place = varint(block, place)
                deps.append(need)
        assert deps == node["data_deps"]
        attributes = [fields(v) for field, v in read if field == 10 and isinstance(v, bytes)]
        for (_, name), (field, value) in attributes:
            assert isinstance(name, bytes)
            assert types[name] == field
            assert int(value) == node[name.decode()]
        assert len(attributes) == len(types)


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
