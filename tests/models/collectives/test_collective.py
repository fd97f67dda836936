"""Who sends and who receives."""

from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.collectives.collective import (
    KINDS,
    TEXTS,
    USUAL_NAMES,
    Collective,
    Kind,
    collective,
    kind_of,
)
from syncfabric.models.collectives.files import PERMUTATIONS, permutation
from syncfabric.models.collectives.library import named
from syncfabric.models.errors import SpecError

RING = named("ring-4")
ALL = {(a, b) for a in range(4) for b in range(4) if a != b}


@pytest.mark.parametrize(
    ("kind", "options", "pairs"),
    [
        ("OAB", {}, {(0, 1), (0, 2), (0, 3)}),
        ("OAS", {"senders": [2]}, {(2, 0), (2, 1), (2, 3)}),
        ("AOG", {}, {(1, 0), (2, 0), (3, 0)}),
        ("AOR", {"receivers": [3]}, {(0, 3), (1, 3), (2, 3)}),
        ("multicast", {"senders": [1], "receivers": [3, 1]}, {(1, 3)}),
        ("AAB", {}, ALL),
        ("AAS", {}, ALL),
        ("AAR", {}, ALL),
        ("MNB", {"senders": [0, 1], "receivers": [1, 2]}, {(0, 1), (0, 2), (1, 2)}),
        ("MNS", {"senders": [0, 1], "receivers": [2, 3]}, {(0, 2), (0, 3), (1, 2), (1, 3)}),
        ("permutation", {"targets": [1, 0, 2, 3]}, {(0, 1), (1, 0)}),
        ("permutation", {"targets": [1, 2, 3, 0], "senders": [3, 1]}, {(3, 0), (1, 2)}),
    ],
)
def test_who_must_be_served(kind: str, options: dict[str, Any], pairs: set[Any]) -> None:
    made = collective(kind, RING, **options)
    assert set(made.pairs) == pairs
    assert made.demand == len(pairs)
    assert made.pair_array().tolist() == [list(pair) for pair in made.pairs]
    assert made.broadcast == (kind in ("OAB", "AAB", "MNB", "multicast"))
    turned = made.reversal
    assert (turned is None) == (kind not in ("AOG", "AOR", "AAR"))
    if turned is not None:
        assert {(b, a) for a, b in turned.pairs} == pairs


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((kind, kind) for kind in KINDS),
        *((name, kind) for kind, name in USUAL_NAMES.items()),
        ("aab", "AAB"),
        ("All-Gather", "AAB"),
        ("all_to_all", "AAS"),
        ("MPI_Bcast", "OAB"),
        ("ncclReduceScatter", "AAR"),
        ("MPI_Reduce_scatter_block", "AAR"),
    ],
)
def test_a_collective_has_the_names_of_mpi_and_nccl(name: str, kind: Kind) -> None:
    assert kind_of(name) == kind
    assert (
        collective(name, RING, targets=[1, 2, 3, 0] if kind == "permutation" else None).kind == kind
    )


@pytest.mark.parametrize("name", ["", "mpi", "MPI_Barrier", "gatherall"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(SpecError, match=f'^collective: unknown "{name}"; '):
        kind_of(name)


def test_every_kind_has_a_text() -> None:
    assert tuple(TEXTS) == KINDS


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        (
            "multicats",
            {},
            'collective: unknown "multicats"; did you mean multicast, as broadcast, to some',
        ),
        (
            "allgater",
            {},
            "did you mean allgather (AAB), all-to-all broadcast: broadcast from every node?",
        ),
        ("x", {}, 'unknown "x"; known are allgather (AAB), reduce-scatter (AAR), alltoall (AAS),'),
        ("AAS", {"senders": []}, "collective alltoall: there are no senders"),
        ("MNS", {"senders": [4]}, "sender 4 is not in topology ring-4; its nodes are 0 to 3"),
        ("MNS", {"receivers": [0, -1]}, "receiver -1 is not in topology ring-4"),
        ("MNS", {"senders": [1, 2, 1]}, "collective MNS: node 1 is there twice in senders"),
        ("OAB", {"senders": [0, 1]}, "collective broadcast: it has one node as senders, not 2"),
        ("AOG", {"receivers": [0, 1]}, "collective gather: it has one node as receivers, not 2"),
        ("OAB", {"receivers": [1, 2]}, "receivers must be all nodes, but 3 is missing"),
        ("OAS", {"receivers": [1, 2]}, "for fewer use MNS"),
        ("AAB", {"senders": [0]}, "senders must be all nodes, but 1 is missing; for fewer use MNB"),
        ("AAS", {"targets": [0, 1, 2, 3]}, "collective alltoall: it takes no permutation"),
        ("permutation", {}, "collective permutation: give the permutation, and no receivers"),
    ],
)
def test_what_is_no_collective_is_refused(kind: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError) as caught:
        collective(kind, RING, **options)
    assert message in str(caught.value)


def test_a_permutation_has_as_many_receivers_as_senders() -> None:
    with pytest.raises(SpecError, match="there are 2 senders and 1 receivers"):
        Collective("permutation", (0, 1), (2,))


@pytest.mark.parametrize(
    ("name", "nodes", "targets"),
    [
        ("transpose", 9, (0, 3, 6, 1, 4, 7, 2, 5, 8)),
        ("bit-reverse", 8, (0, 4, 2, 6, 1, 5, 3, 7)),
        ("shuffle", 8, (0, 2, 4, 6, 1, 3, 5, 7)),
        ("shuffle", 1, (0,)),
        ("bit-reverse", 1, (0,)),
    ],
)
def test_permutations_by_name(name: str, nodes: int, targets: tuple[int, ...]) -> None:
    assert permutation(name, nodes) == targets


@pytest.mark.parametrize("name", PERMUTATIONS)
def test_a_permutation_by_name_is_one(name: str) -> None:
    assert sorted(permutation(name, 64)) == list(range(64))


def test_permutations_from_files(tmp_path: Path) -> None:
    for text in ("[2, 0, 1]", "2 0\n1"):
        path = tmp_path / "p"
        path.write_text(text)
        assert permutation(str(path), 3) == (2, 0, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 1 1", "it must name each of the nodes 0 to 2 once"),
        ("0 1", "it must name each of the nodes 0 to 2 once"),
        ("0 1 x", '"x" is no node; list whole numbers'),
        ("[0, 1, [2]]", "[2] is no node; list whole numbers"),
        ("[0, 1", "line 1, column 6: not JSON"),
    ],
)
def test_a_malformed_permutation_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "p"
    path.write_text(text)
    with pytest.raises(SpecError) as caught:
        permutation(str(path), 3)
    assert message in str(caught.value)


def test_a_permutation_that_does_not_fit_is_refused() -> None:
    with pytest.raises(SpecError, match="transpose: nodes must be a square, not 8"):
        permutation("transpose", 8)
    with pytest.raises(SpecError, match="shuffle: nodes must be a power of two, not 9"):
        permutation("shuffle", 9)
    with pytest.raises(SpecError, match='"none" is neither "transpose", "bit-reverse" or'):
        permutation("none", 9)
