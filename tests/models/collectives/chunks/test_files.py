"""Files of schedules in chunks."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.collectives.chunks.files import load_any, read
from syncfabric.models.collectives.chunks.schedule import chunked_kind
from syncfabric.models.collectives.chunks.search import search
from syncfabric.models.collectives.files import load_schedule, load_topology, write_json
from syncfabric.models.errors import SpecError


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
