"""Programs in MSCCL's XML: of our schedules, and written by hand, right and wrong."""

import random
import re
from fractions import Fraction

import pytest

from syncfabric.models.collectives.chunks.msccl import program_of, read_xml, to_xml
from syncfabric.models.collectives.chunks.performed import check_program
from syncfabric.models.collectives.chunks.schedule import CHUNKED, Chunked
from syncfabric.models.collectives.chunks.search import search
from syncfabric.models.collectives.files import load_topology
from syncfabric.models.collectives.topology import linked
from syncfabric.models.errors import SpecError

SIZE = 2**16


@pytest.mark.parametrize("kind", CHUNKED)
@pytest.mark.parametrize("name", ["ring-5", "torus-3x3", "dgx-1"])
def test_a_program_takes_as_long_as_its_schedule(name: str, kind: Chunked) -> None:
    """Two performers that share no code agree, where a link has one path."""
    topology = linked(load_topology(name), Fraction(100), Fraction(1))
    for found in search(topology, kind, SIZE, (1, 3)).found:
        text = to_xml(program_of(found.schedule))
        outcome = check_program(read_xml(text, SIZE), topology)
        assert outcome == (found.time, (), 0)


def test_past_switches() -> None:
    topology = linked(load_topology("fat-tree-2x2"), Fraction(100), Fraction(1))
    for found in search(topology, "allreduce", SIZE, (2,)).found:
        program = program_of(found.schedule)
        assert check_program(program, topology).broken == 0


@pytest.mark.parametrize("seed", range(4))
def test_changed_programs_are_wrong(seed: int) -> None:
    """A step more or less, another chunk, or a wait left out is seen."""
    rng = random.Random(seed)
    topology = linked(load_topology("torus-3x3"), Fraction(100), Fraction(1))
    text = to_xml(program_of(search(topology, "allreduce", SIZE, (2,)).best.schedule))
    for change in ("reduces no more", "reads another chunk", "writes another chunk"):
        program = read_xml(text, SIZE)
        blocks = [b for gpu in program.gpus for b in gpu if b.steps]
        kinds = {"reduces no more": ("rrc",), "reads another chunk": ("s",)}
        steps = [s for b in blocks for s in b.steps if s.kind in kinds.get(change, ("r", "rrc"))]
        step = rng.choice(steps)
        if change == "reduces no more":
            step.kind = "r"
        elif change == "reads another chunk":
            step.source = step.source._replace(offset=(step.source.offset + 1) % program.chunks)
        else:
            step.target = step.target._replace(offset=(step.target.offset + 1) % program.chunks)
        assert check_program(program, topology).broken, change


def algo(steps: str, **words: object) -> str:
    """Return a program of two GPUs that send to each other, with some steps."""
    given = {"coll": "allreduce", "nchunksperloop": 1, "ngpus": 2, "inplace": 0} | words
    top = " ".join(f'{key}="{value}"' for key, value in given.items())
    gpus = "".join(
        f'<gpu id="{me}"><tb id="0" send="{1 - me}" recv="{1 - me}" chan="0">{steps}</tb></gpu>'
        for me in (0, 1)
    )
    return f"<algo {top}>{gpus}</algo>"


def step(number: int, kind: str, source: str, target: str, more: str = "") -> str:
    return (
        f'<step s="{number}" type="{kind}" srcbuf="{source[0]}" srcoff="{source[1:]}"'
        f' dstbuf="{target[0]}" dstoff="{target[1:]}" cnt="1" {more}/>'
    )


PAIR = linked(load_topology("complete-2"), Fraction(10), Fraction(1))
EXCHANGED = step(0, "s", "i0", "i0") + step(1, "r", "i0", "s0")
RIGHT = EXCHANGED + step(2, "cpy", "i0", "o0") + step(3, "re", "s0", "o0")


def test_all_local_steps() -> None:
    outcome = check_program(read_xml(algo(RIGHT), 100), PAIR)
    assert outcome == (Fraction(110), (), 0)
    fused = step(0, "s", "i0", "i0") + step(1, "rrc", "i0", "i0")
    in_place = read_xml(algo(fused, inplace=1), 100)
    assert check_program(in_place, PAIR) == (Fraction(110), (), 0)
    gathered = step(0, "s", "i0", "i0") + step(1, "cpy", "i0", "oA") + step(2, "r", "i0", "oB")
    text = algo(gathered, coll="allgather", nchunksperloop=2)
    # The own share first, then the other's.
    for place in ("0", "1", "1", "0"):
        text = re.sub("[AB]", place, text, count=1)
    assert check_program(read_xml(text, 100), PAIR).broken == 0


def exchanged(steps: str, **words: object) -> str:
    """Return an alltoall of two GPUs; A is a GPU's own chunk, B the other's."""
    first, second = algo(steps, coll="alltoall", nchunksperloop=2, **words).split('<gpu id="1"')
    first, second = first.replace("A", "0"), second.replace("A", "1")
    return f'{first.replace("B", "1")}<gpu id="1"{second.replace("B", "0")}'


def test_an_alltoall_by_hand() -> None:
    """As msccl-tools writes it: from input to output, or in place."""
    sent = step(0, "s", "iB", "oA") + step(1, "r", "iB", "oB")
    right = read_xml(exchanged(sent + step(2, "cpy", "iA", "oA")), 100)
    assert (right.exchange.kind, right.piece) == ("alltoall", Fraction(50))
    assert check_program(right, PAIR) == (Fraction(60), (), 0)
    wrong = check_program(read_xml(exchanged(sent), 100), PAIR)
    assert wrong.wrong == tuple(
        f"gpu {gpu} ends without chunk {gpu} of the output whole" for gpu in (0, 1)
    )
    in_place = read_xml(exchanged(sent.replace('"o"', '"i"'), inplace=1), 100)
    assert check_program(in_place, PAIR) == (Fraction(60), (), 0)
    other = exchanged(step(0, "s", "iA", "oA") + step(1, "r", "iB", "oB"))
    assert check_program(read_xml(other, 100), PAIR).broken == 4


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (EXCHANGED, "gpu 0 ends without chunk 0 of the output whole"),
        (RIGHT + step(4, "re", "s0", "o0"), "it reduces what gpu 1 gives twice"),
        (EXCHANGED + step(2, "cpy", "s1", "o0"), "nothing is in chunk 1 of s"),
    ],
)
def test_what_a_program_does_wrong(steps: str, said: str) -> None:
    outcome = check_program(read_xml(algo(steps), 100), PAIR)
    assert outcome.broken
    assert any(said in words for words in outcome.wrong), outcome.wrong


def test_an_order_by_luck_is_no_order() -> None:
    """Every wait that is left out lets a step come before what it should come after."""
    topology = linked(load_topology("mesh-3x2"), Fraction(100), Fraction(1))
    found = search(topology, "broadcast", SIZE, (2,), methods=("trees",)).best
    text = to_xml(program_of(found.schedule))
    waits = [match.span() for match in re.finditer(r'depid="\d+" deps="\d+"', text)]
    assert waits
    for begin, end in waits:
        less = f'{text[:begin]}depid="-1" deps="-1"{text[end:]}'
        outcome = check_program(read_xml(less, SIZE), topology)
        assert any("in no order with another access" in words for words in outcome.wrong)


def test_the_own_operand_is_the_source() -> None:
    """What is received is reduced with the input, and stored in the output."""
    steps = step(0, "s", "i0", "i0") + step(1, "rrc", "i0", "o0")
    assert check_program(read_xml(algo(steps), 100), PAIR).broken == 0
    left_out = steps.replace('srcbuf="i" srcoff="0" dstbuf="o"', 'dstbuf="o"')
    assert "nothing is in chunk 0 of o" in str(check_program(read_xml(algo(left_out), 100), PAIR))


def test_buffers_have_ends() -> None:
    text = algo(RIGHT).replace("<gpu ", '<gpu i_chunks="1" o_chunks="1" s_chunks="{}" ')
    assert check_program(read_xml(text.replace("{}", "1"), 100), PAIR).broken == 0
    outcome = check_program(read_xml(text.replace("{}", "0"), 100), PAIR)
    assert any("s has 0 chunks, but it takes chunk 0" in words for words in outcome.wrong)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<algo", "it is no XML"),
        ("<!DOCTYPE a><algo/>", "document type"),
        ("<other/>", "must be MSCCL's <algo>"),
        (algo(RIGHT, coll="alltoallv"), 'coll must be one of .*, not "alltoallv"'),
        (algo(RIGHT, ngpus=1), "ngpus must be 2 to 65536"),
        (algo(RIGHT, ngpus="two"), 'ngpus must be .*, not "two"'),
        (algo(RIGHT, coll="allgather"), "nchunksperloop must be a multiple of ngpus"),
        (algo(step(1, "s", "i0", "i0")), "its s must be its place, 0, not 1"),
        (algo(step(0, "send", "i0", "i0")), 'type must be one of .*, not "send"'),
        (algo(step(0, "s", "x0", "i0")), 'no chunk 0 of buffer "x"'),
        (algo(step(0, "s", "i-1", "i0")), "no chunk -1"),
        (
            algo(step(0, "s", "i0", "i0", 'depid="1" deps="0"')),
            "waits for tb 1, step 0, which is not there",
        ),
        (algo(RIGHT).replace('send="1"', 'send="-1"'), "needs a peer"),
        (algo(RIGHT).replace('gpu id="1"', 'gpu id="0"'), "gpu 0: it is there twice"),
        (algo(RIGHT).replace('tb id="0"', 'tb id="3"'), "its id must be its place, 0, not 3"),
    ],
)
def test_malformed_programs(text: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        read_xml(text, 100)


def test_programs_that_cannot_be_performed() -> None:
    waiting = step(0, "r", "i0", "s0") + step(1, "s", "i0", "i0")
    with pytest.raises(SpecError, match="what gpu 1 sends; 2 blocks do not end"):
        check_program(read_xml(algo(waiting), 100), PAIR)
    itself = step(0, "nop", "i0", "i0", 'depid="0" deps="0"')
    with pytest.raises(SpecError, match="never ends its wait for tb 0, step 0"):
        check_program(read_xml(algo(itself), 100), PAIR)
    with pytest.raises(SpecError, match="it has 4 ranks, but the program 2"):
        check_program(read_xml(algo(RIGHT), 100), load_topology("ring-4"))
    far = algo(step(0, "s", "i0", "i0")).replace('ngpus="2"', 'ngpus="3"')
    line = linked(load_topology("mesh-3x1"), Fraction(1), Fraction(1))
    text = far.replace('send="1"', 'send="2"')
    with pytest.raises(SpecError, match="has no channel from 0 to 2"):
        check_program(read_xml(text, 100), line)
