# amaranth: UnusedElaboratable=no
"""Who asks the engine, in every cycle; and that nothing is set up from another's words."""

from typing import Any

import pytest

from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.rtl.lifecycle.access import ConfigAccess
from tests.rtl.lifecycle.stage import Stage, play


def run(program: Any) -> None:
    play(ConfigAccess(), program)


def chain(address: int = 1, data: int = 7, write: int = 1) -> dict[str, int]:
    return {
        "chain__valid": 1,
        "chain__write": write,
        "chain__address": address,
        "chain__data": data,
    }


def sink(address: int = 2, data: int = 9) -> dict[str, int]:
    return {"sink__valid": 1, "sink__write": 1, "sink__address": address, "sink__data": data}


ANSWER = {"engine__ready": 1, "engine__error": 1, "engine__rdata": 0xABCD}


def asked(seen: dict[str, int]) -> tuple[int, int] | None:
    """Return what the engine is asked."""
    if not seen["engine__valid"]:
        return None
    return seen["engine__address"], seen["engine__data"]


def answered(seen: dict[str, int], who: str) -> tuple[int, int, int]:
    return seen[f"{who}__ready"], seen[f"{who}__error"], seen[f"{who}__rdata"]


def test_the_sink_goes_first_in_a_free_cycle() -> None:
    async def program(stage: Stage) -> None:
        assert asked(await stage.cycle()) is None
        for _ in range(2):
            assert asked(await stage.cycle(**chain(), **sink())) == (2, 9)
        seen = await stage.cycle(**chain(), **sink(), **ANSWER)
        assert asked(seen) == (2, 9)
        assert answered(seen, "sink") == (1, 1, 0xABCD)
        assert answered(seen, "chain") == (0, 0, 0)
        # The next cycle is free, and the chain's request begins.
        assert asked(await stage.cycle(**chain())) == (1, 7)
        seen = await stage.cycle(**chain(), **sink(), **ANSWER)
        assert asked(seen) == (1, 7)
        assert answered(seen, "chain") == (1, 1, 0xABCD)
        assert answered(seen, "sink") == (0, 0, 0)
        assert asked(await stage.cycle(**chain(3), **sink())) == (2, 9)

    run(program)


def test_the_chain_waits_while_a_packet_is_under_way() -> None:
    async def program(stage: Stage) -> None:
        for _ in range(3):
            assert asked(await stage.cycle(**chain(), locks=1)) is None
        assert asked(await stage.cycle(**chain())) == (1, 7)
        # What has begun goes on.
        seen = await stage.cycle(**chain(), locks=1, **ANSWER)
        assert asked(seen) == (1, 7)
        assert answered(seen, "chain") == (1, 1, 0xABCD)

    run(program)


async def write(stage: Stage, who: Any, address: int, data: int = 0) -> tuple[int, int, int]:
    """Let one of both write, and the engine answer in the second cycle, if it is asked."""
    name = who.__name__
    seen = await stage.cycle(**who(address, data))
    assert answered(seen, name) == (0, 0, 0)
    asks = seen["engine__valid"]
    seen = await stage.cycle(**who(address, data), **({"engine__ready": 1} if asks else {}))
    assert seen["engine__valid"] == asks
    assert seen[f"{name}__ready"]
    return asks, seen[f"{name}__error"], seen[f"{name}__rdata"]


def commit(code: Code) -> int:
    return COMMIT.pack({"code": code, "epoch": 1, "entry": 3})


def test_no_setup_from_the_sinks_words() -> None:
    setup = commit(Code.SETUP)

    async def program(stage: Stage) -> None:
        assert await write(stage, chain, 0, setup) == (1, 0, 0)
        assert await write(stage, sink, 2) == (1, 0, 0)
        # It is answered in its second cycle, and the engine is not asked; more than once.
        for _ in range(2):
            assert await write(stage, chain, 0, setup) == (0, 1, 0)
        for code in (Code.READ, Code.GO, Code.KILL):
            assert await write(stage, chain, 0, commit(code)) == (1, 0, 0)
        # The sink's own commits are made, and another word does not help.
        assert await write(stage, sink, 0, setup) == (1, 0, 0)
        assert await write(stage, chain, 2, setup) == (1, 0, 0)
        assert await write(stage, chain, 0, setup) == (0, 1, 0)
        assert await write(stage, chain, 1) == (1, 0, 0)
        assert await write(stage, chain, 0, setup) == (1, 0, 0)
        # A commit of the sink alone spoils nothing.
        assert await write(stage, sink, 0, setup) == (1, 0, 0)
        assert await write(stage, chain, 0, setup) == (1, 0, 0)
        assert await write(stage, sink, 1) == (1, 0, 0)
        assert await write(stage, chain, 0, setup) == (0, 1, 0)

    run(program)


def test_reading_word_0_is_not_writing_it() -> None:
    setup = commit(Code.SETUP)

    async def program(stage: Stage) -> None:
        await write(stage, sink, 1)
        await stage.cycle(**chain(1, 0, write=0))
        await stage.cycle(**chain(1, 0, write=0), engine__ready=1, engine__error=1)
        assert await write(stage, chain, 0, setup) == (0, 1, 0)

    run(program)


@pytest.mark.parametrize("by_sink", [True, False])
def test_a_refused_setup_is_in_no_ones_way(by_sink: bool) -> None:
    setup = commit(Code.SETUP)

    async def program(stage: Stage) -> None:
        await write(stage, sink, 1)
        assert asked(await stage.cycle(**chain(0, setup))) is None
        other = sink() if by_sink else {}
        seen = await stage.cycle(**chain(0, setup), **other)
        assert asked(seen) == ((2, 9) if by_sink else None)
        assert answered(seen, "chain") == (1, 1, 0)
        answer = {"engine__ready": 1} if by_sink else {}
        seen = await stage.cycle(**chain(1, 4), **other, **answer)
        assert asked(seen) == ((2, 9) if by_sink else (1, 4))
        assert answered(seen, "sink") == (by_sink, 0, 0)

    run(program)
