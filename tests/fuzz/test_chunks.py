"""Programs in MSCCL's XML, schedules in chunks, and algorithms in msccl-tools' JSON."""

import re
from fractions import Fraction
from functools import cache
from xml.sax.saxutils import quoteattr

from hypothesis import given
from hypothesis import strategies as st

from syncfabric.models.collectives.chunks.msccl import program_of, to_xml
from syncfabric.models.collectives.chunks.schedule import Chunked, Schedule
from syncfabric.models.collectives.chunks.search import search
from syncfabric.models.collectives.files import load_topology
from syncfabric.models.collectives.topology import linked
from tests.fuzz.campaign import fuzzed, sandbox
from tests.fuzz.mutation import NUMBERS, TEXTS, as_json, broken_bytes, mutated
from tests.models.collectives.chunks.test_msccl_json import algorithm

SIZE = 4096
TASKS: dict[str, Chunked] = {"ring-4": "allreduce", "torus-3x3": "allgather", "star-4": "alltoall"}
LINE = re.compile(r"^ *<[^/?].*>\n", re.MULTILINE)
ALGORITHM = algorithm(
    4,
    lambda rank, chunk: rank == chunk,
    lambda rank, chunk: True,
    lambda chunk: chunk,
    4,
    [(1, [(c, (c + k) % 4, (c + k + 1) % 4) for c in range(4)]) for k in range(3)],
)


@cache
def _schedule(name: str) -> Schedule:
    topology = linked(load_topology(name), Fraction(100), Fraction(1))
    return search(topology, TASKS[name], SIZE, (1,)).best.schedule


@cache
def _program(name: str) -> str:
    return to_xml(program_of(_schedule(name)))


@st.composite
def _wrong_programs(draw: st.DrawFn) -> bytes:
    """Draw a program with attributes changed, and lines lost, twice there, or elsewhere."""
    text = _program(draw(st.sampled_from(sorted(TASKS))))
    others = st.sampled_from([*map(str, [*NUMBERS, -2]), *TEXTS, "i", "o", "s", "r", "rrc", "nop"])
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.sampled_from([*re.finditer(r'(?<==)"[^"]*"', text)]))
        other = "".join(filter(str.isprintable, draw(others)))
        text = text[: place.start()] + quoteattr(other) + text[place.end() :]
        lines = [*LINE.finditer(text)]
        if draw(st.booleans()) and lines:
            line, to = draw(st.sampled_from(lines)), draw(st.sampled_from(lines))
            kept = draw(st.booleans()) * line[0]
            text = text[: line.start()] + kept + text[line.end() :]
            text = text[: to.start()] + line[0] * draw(st.integers(0, 1)) + text[to.start() :]
    return text.encode("utf-8", "replace")


def _call(data: bytes, name: str, *words: str) -> None:
    with sandbox() as box:
        (box.here / name).write_bytes(data)
        box.call(["check", name, *words], differs=True)


@fuzzed(2)
@given(
    st.one_of(
        _wrong_programs(),
        st.sampled_from(sorted(TASKS)).flatmap(lambda n: broken_bytes(_program(n).encode())),
    ),
    st.sampled_from([(), ("--json",), ("--topology", "ring-4"), ("--bytes", "1")]),
)
def test_a_program(data: bytes, words: tuple[str, ...]) -> None:
    _call(data, "p.xml", *words)


@fuzzed()
@given(
    st.sampled_from(sorted(TASKS)).flatmap(
        lambda name: st.one_of(
            mutated(_schedule(name).to_json()).map(as_json),
            broken_bytes(as_json(_schedule(name).to_json())),
        )
    )
)
def test_a_schedule_in_chunks(data: bytes) -> None:
    _call(data, "s.json", "--json")


@fuzzed()
@given(st.one_of(mutated(ALGORITHM).map(as_json), broken_bytes(as_json(ALGORITHM))))
def test_an_algorithm(data: bytes) -> None:
    _call(data, "a.json")


def test_seeds_are_sound() -> None:
    """Or mutations of them would show little."""
    seeds: list[tuple[bytes, str]] = [(as_json(ALGORITHM), "a.json")]
    for name in TASKS:
        seeds += [
            (_program(name).encode(), "p.xml"),
            (as_json(_schedule(name).to_json()), "s.json"),
        ]
    for data, file in seeds:
        with sandbox() as box:
            (box.here / file).write_bytes(data)
            assert box.call(["check", file]) == 0, (file, box.said)
