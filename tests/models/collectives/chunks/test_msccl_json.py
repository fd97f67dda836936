"""Algorithms in msccl-tools' JSON: read, carried out, and what is wrong with them."""

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from syncfabric.models.collectives.chunks.msccl_json import (
    Algorithm,
    check_algorithm,
    read_algorithm,
    read_topology,
)
from syncfabric.models.errors import SpecError

Condition = Callable[[int, int], bool]


def algorithm(
    ranks: int,
    pre: Condition,
    post: Condition,
    address: Callable[[int], int],
    chunks: int,
    steps: list[tuple[int, list[tuple[int, int, int]]]],
) -> dict[str, Any]:
    """Values of a file on a ring whose links let two chunks through in a round."""
    links = [[2 * (abs(a - b) in (1, ranks - 1)) for a in range(ranks)] for b in range(ranks)]
    everyone = range(ranks)
    return {
        "msccl_type": "algorithm",
        "name": "made",
        "instance": {"msccl_type": "instance", "steps": len(steps), "chunks": 1},
        "input_map": {},
        "output_map": {},
        "steps": [
            {"msccl_type": "step", "rounds": rounds, "sends": [list(send) for send in sends]}
            for rounds, sends in steps
        ],
        "collective": {
            "msccl_type": "collective",
            "name": "Named",
            "nodes": ranks,
            "chunks": [
                {
                    "msccl_type": "chunk",
                    "pre": [rank for rank in everyone if pre(rank, chunk)],
                    "post": [rank for rank in everyone if post(rank, chunk)],
                    "addr": address(chunk),
                }
                for chunk in range(chunks)
            ],
            "triggers": {},
            "runtime_name": "named",
        },
        "topology": {"msccl_type": "topology", "name": "ring", "switches": [], "links": links},
    }


def allgather() -> dict[str, Any]:
    """Four ranks: each to both neighbours, then one of them passes each on."""
    first = [(r, r, (r + step) % 4) for r in range(4) for step in (1, 3)]
    second = [((r + 1) % 4, r, (r + 3) % 4) for r in range(4)]
    steps = [(1, first), (1, second)]
    return algorithm(4, lambda r, c: r == c, lambda r, c: True, lambda c: c, 4, steps)


def allreduce() -> dict[str, Any]:
    """Recursive doubling of one address on a ring of four."""
    steps = [
        (1, [(0, r, r ^ 1) for r in range(4)]),
        (1, [(0, r, 3 - r) for r in range(4)]),
    ]
    return algorithm(4, lambda r, c: r == c, lambda r, c: True, lambda c: 0, 4, steps)


def read(values: dict[str, Any], size: int = 100) -> Algorithm:
    return read_algorithm(json.loads(json.dumps(values)), size, Fraction(10), Fraction(1))


def test_an_allgather_is_right_and_takes_its_steps_and_rounds() -> None:
    found = read(allgather())
    assert found.exchange is not None
    assert (found.exchange.kind, found.piece) == ("allgather", Fraction(100))
    assert found.latency == 2 * 10
    outcome = check_algorithm(found)
    assert (outcome.time, outcome.broken) == (Fraction(2 * 10 + 2 * 100), 0)
    assert {link.lanes for link in found.topology.links} == {2}


def test_an_allreduce_is_of_any_number_of_addresses() -> None:
    found = read(allreduce())
    assert found.exchange is not None
    assert (found.exchange.kind, found.piece) == ("allreduce", Fraction(100))
    assert check_algorithm(found).broken == 0


@pytest.mark.parametrize(
    ("pre", "post", "address", "chunks", "kind", "piece"),
    [
        (lambda r, c: r == 2, lambda r, c: True, lambda c: c, 5, "broadcast", 20),
        (lambda r, c: r == c % 4, lambda r, c: r == 1, lambda c: c // 4, 8, "reduce", 50),
        (
            lambda r, c: r == c % 4,
            lambda r, c: r == c // 4,
            lambda c: c // 4,
            16,
            "reduce-scatter",
            25,
        ),
        (lambda r, c: r == c % 4, lambda r, c: r == c // 4, lambda c: c, 16, "alltoall", 25),
        (lambda r, c: r == c % 4, lambda r, c: r == c // 4, lambda c: c, 15, None, 25),
        (lambda r, c: r == c, lambda r, c: r == 2, lambda c: c, 4, "gather", 100),
        (
            lambda r, c: r == 2,
            lambda r, c: r == c // 2,
            lambda c: c,
            8,
            "scatter",
            Fraction(100, 8),
        ),
        (lambda r, c: r == c % 3, lambda r, c: r == 2, lambda c: c, 3, None, 100),
        (lambda r, c: r == c, lambda r, c: r == c ^ 1, lambda c: c, 4, None, 100),
    ],
)
def test_collectives_follow_from_begins_and_ends(
    pre: Condition,
    post: Condition,
    address: Callable[[int], int],
    chunks: int,
    kind: str | None,
    piece: int | Fraction,
) -> None:
    found = read(algorithm(4, pre, post, address, chunks, []))
    assert (found.exchange and found.exchange.kind) == kind
    assert found.piece == piece
    if kind in ("broadcast", "gather", "scatter"):
        assert found.exchange is not None
        assert found.exchange.root == 2


def test_what_is_wrong_is_reported() -> None:
    values = allgather()
    values["steps"][1]["sends"][0] = [0, 0, 2]
    wrong = check_algorithm(read(values)).wrong
    assert wrong[0] == "step 1: address 0 from 0 to 2: topology ring has no such link"
    assert "rank 3 ends without chunk 1" in wrong
    values = allgather()
    values["steps"].reverse()
    assert check_algorithm(read(values)).wrong[0] == (
        "step 0: address 1 from 0 to 3: nothing of it is there to send"
    )
    values = allgather()
    values["steps"][0]["sends"] += values["steps"].pop(1)["sends"]  # what comes in the same step
    assert any("nothing of it is there" in words for words in check_algorithm(read(values)).wrong)
    values = allreduce()
    values["steps"].append(copy.deepcopy(values["steps"][0]))
    assert check_algorithm(read(values)).broken == 0  # whole sums take each other's place
    values["steps"][1]["sends"] = [[0, 0, 3], [0, 1, 0], [0, 2, 3], [0, 3, 2]]
    said = check_algorithm(read(values)).wrong
    assert any("combined with what it has a part of" in words for words in said)


def test_links_and_switches_let_so_many_through_in_a_round() -> None:
    values = allgather()
    many = [[0, 0, 1]] * 3
    values["steps"].insert(0, {"msccl_type": "step", "rounds": 1, "sends": many})
    words = "step 0: 3 chunks pass link 0 to 1, which lets 2 in 1 round through"
    assert check_algorithm(read(values)).wrong == (words,)
    values["steps"][0]["rounds"] = 2
    assert check_algorithm(read(values)).broken == 0
    values["topology"]["switches"] = [[[0, 1], [0, 1, 2, 3], 1, "out of two"]]
    (first, *_) = check_algorithm(read(values)).wrong
    assert first == "step 0: 3 chunks pass out of two, which lets 2 in 2 rounds through"


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (("msccl_type",), "step", "msccl_type must be \"algorithm\" here, not 'step'"),
        (("steps", 0, "rounds"), 0, "algorithm: steps[0].rounds: "),
        (("steps", 0, "sends"), [[9, 0, 1]], "algorithm: steps[0].sends[0]: there is no such"),
        (("steps", 0, "sends"), [[0, 0]], "algorithm: steps[0].sends[0]"),
        (("collective", "nodes"), 5, "algorithm: collective.nodes is 5, but the topology has 4"),
        (("collective", "chunks", 1, "pre"), [4], "algorithm: collective.chunks[1].pre must be"),
        (("collective", "chunks"), [], "algorithm: "),
        (("topology", "links", 2), [1], "topology: links[2] must have 4 numbers, not 1"),
        (("collective", "nodes"), 1, "algorithm: collective.nodes must be 2 or more"),
        (("steps", 0, "rounds"), 10**400, "algorithm: steps[0].rounds: "),
        (("topology", "switches"), [[[0, 4], [1], 1, "s"]], "topology: switches[0], s: its ranks"),
    ],
)
def test_malformed_files_are_refused_by_place(
    place: tuple[Any, ...], value: Any, words: str
) -> None:
    values = allgather()
    inner: Any = values
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with pytest.raises(SpecError) as caught:
        read(values)
    assert words in str(caught.value)


def test_a_topology_by_itself() -> None:
    topology = read_topology(allgather()["topology"])
    assert (topology.nodes, topology.switches, len(topology.channels)) == (4, 0, 8)
