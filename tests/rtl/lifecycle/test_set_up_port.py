# amaranth: UnusedElaboratable=no
"""Set-up packets beside ordinary ones, out of a router and into it, and the hold of flits."""

import random
from collections import deque
from typing import Any

import pytest

from syncfabric.rtl.lifecycle.hold import Hold
from syncfabric.rtl.lifecycle.queue import WordQueue
from syncfabric.rtl.lifecycle.set_up_port import LocalPort, SinkPort
from syncfabric.rtl.messages import struct
from tests.rtl.lifecycle.stage import FLIT, HEADER, SHAPE, Stage, flit, play

SET_UP = 1 << SHAPE.channels
REPLY = 1 << HEADER.offsets["reply"]
KINDS = [LocalPort, SinkPort]


def came(word: int, channel: int = SHAPE.channels) -> dict[str, int]:
    return {"router_out__valid": 1 << channel, "router_out__flit": word}


@pytest.mark.parametrize("kind", KINDS)
def test_out_of_the_router(kind: Any) -> None:
    """Three places; the sink's flits wait until it listens, the manager's do not."""
    packets = [flit(1, head=True), flit(2), flit(REPLY, tail=True)]

    async def program(stage: Stage) -> None:
        for word in packets:
            seen = await stage.cycle(**came(word))
        assert seen["sink_valid"]
        assert not seen["router_out__credit"]
        # A fourth finds no place.
        seen = await stage.cycle(**came(flit(9)))
        assert (seen["overflows"], seen["sink_flit"]) == (1, packets[0])
        for word in packets:
            seen = await stage.cycle(listens=1)
            assert (seen["sink_valid"], seen["sink_flit"]) == (1, word)
            assert not seen["manager_valid"]
            seen = await stage.cycle()
            # Each place is given back a cycle later, and the next flit waits.
            assert seen["router_out__credit"] == SET_UP
            assert seen["sink_valid"] == (word != packets[-1])
            assert not (await stage.cycle())["router_out__credit"]
        # A reply's flits are the manager's, whatever comes after the head; they never wait.
        answer = [flit(REPLY | 1, head=True), flit(3), flit(0, tail=True), flit(6, head=True)]
        for number, word in enumerate(answer):
            seen = await stage.cycle(**came(word))
            assert seen["manager_valid"] == (number > 0)
            if number:
                assert seen["manager_flit"] == answer[number - 1]
            assert seen["router_out__credit"] == (SET_UP if number > 1 else 0)
        seen = await stage.cycle()
        assert (seen["sink_valid"], seen["manager_valid"]) == (1, 0)

    play(kind(SHAPE), program)


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_buffer_that_is_freed_takes_nothing_in_that_cycle(kind: Any) -> None:
    async def program(stage: Stage) -> None:
        for _ in range(3):
            await stage.cycle(**came(flit(1, head=True, tail=True)))
        assert (await stage.cycle(**came(flit(2)), listens=1))["overflows"] == 1
        assert (await stage.cycle(**came(flit(2, head=True, tail=True))))["overflows"] == 0

    play(kind(SHAPE), program)


@pytest.mark.parametrize("kind", KINDS)
def test_into_the_router(kind: Any) -> None:
    """A reply goes first; neither is split; each flit has a credit."""
    head, body, tail = flit(1, head=True), flit(2), flit(3, tail=True)
    other, last = flit(8, head=True), flit(9, tail=True)

    async def program(stage: Stage) -> None:
        async def sent(
            *, reply: int = 0, request: int = 0, credit: bool = False
        ) -> tuple[Any, Any]:
            seen = await stage.cycle(
                reply_valid=reply > 0,
                reply_flit=reply,
                request_valid=request > 0,
                request_flit=request,
                router_in__credit=SET_UP if credit else 0,
            )
            left = seen["reply_leaves"] | seen["request_leaves"] << 1
            assert seen["router_in__valid"] == (SET_UP if left else 0)
            return left, seen["router_in__flit"]

        assert await sent(request=head) == (2, head)
        assert await sent(request=body, reply=other) == (2, body)
        assert await sent(reply=other) == (0, 0)
        # Two credits are used; the third goes, and then there is none.
        assert await sent(request=tail, reply=other) == (2, tail)
        assert (await sent(request=head, reply=other, credit=True))[0] == 0
        assert await sent(request=head, reply=other, credit=True) == (1, other)
        assert await sent(request=head, reply=last, credit=True) == (1, last)
        assert await sent(request=head, credit=False) == (2, head)
        assert (await sent(request=tail))[0] == 0

    play(kind(SHAPE), program)


def test_the_process_beside_set_up_packets() -> None:
    """Its flits leave in the same cycle, or are held while another is on the link."""
    a, b, c = (flit(n, head=True, tail=True) for n in (11, 12, 13))
    mine = flit(1, head=True)

    async def program(stage: Stage) -> None:
        def inject(word: int, channel: int) -> dict[str, int]:
            return {"inject__valid": 1 << channel, "inject__flit": word}

        def link(seen: dict[str, int]) -> tuple[int, int]:
            return seen["router_in__valid"], seen["router_in__flit"]

        request = {"request_valid": 1, "request_flit": mine}
        assert link(await stage.cycle(**inject(a, 1))) == (2, a)
        assert link(await stage.cycle(**inject(a, 1), **request)) == (SET_UP, mine)
        assert link(await stage.cycle(**inject(b, 0))) == (2, a)
        assert link(await stage.cycle(**inject(c, 1), **request)) == (SET_UP, mine)
        assert link(await stage.cycle()) == (1, b)
        assert link(await stage.cycle()) == (2, c)
        assert link(await stage.cycle()) == (0, 0)
        # Credits and ordinary flits go through; those of the set-up channel are not the process's.
        seen = await stage.cycle(router_in__credit=0b111, **came(a, 1), eject__credit=0b10)
        assert seen["inject__credit"] == 0b11
        assert seen["router_out__credit"] == 0b10
        assert (seen["eject__valid"], seen["eject__flit"]) == (2, a)
        seen = await stage.cycle(**came(b))
        assert (seen["eject__valid"], seen["eject__flit"]) == (0, 0)

    play(LocalPort(SHAPE), program)


def test_a_sink_port_drops_ordinary_flits() -> None:
    async def program(stage: Stage) -> None:
        seen = await stage.cycle(**came(flit(1, head=True), 1))
        assert (seen["unexpected"], seen["router_out__credit"]) == (1, 0)
        seen = await stage.cycle(**came(flit(1), 0))
        assert (seen["unexpected"], seen["router_out__credit"]) == (1, 2)
        seen = await stage.cycle(**came(flit(1)))
        assert (seen["unexpected"], seen["router_out__credit"]) == (0, 1)
        assert (await stage.cycle())["router_out__credit"] == 0

    play(SinkPort(SHAPE), program)


@pytest.mark.parametrize(("channels", "places"), [(1, 1), (2, 6), (3, 4)])
def test_a_hold_at_random(channels: int, places: int) -> None:
    rng = random.Random(places)

    async def program(stage: Stage) -> None:
        held: deque[tuple[int, int]] = deque()
        dropped = 0
        for _ in range(400):
            valid = rng.choice((0, 1 << rng.randrange(channels)))
            word, blocked = rng.getrandbits(FLIT.width), rng.random() < 0.6
            comes = [(valid, word)] if valid else []
            seen = await stage.cycle(valid=valid, flit=word, blocked=blocked)
            full = len(held) == places
            if comes and not full:
                held.append(comes[0])
            dropped += bool(comes and full)
            assert seen["overflow"] == bool(comes and full)
            expected = held.popleft() if held and not blocked else (0, 0)
            assert (seen["out_valid"], seen["out_flit"]) == expected
        assert dropped > 20

    play(Hold(channels, struct(FLIT), places), program)


@pytest.mark.parametrize("places", [1, 2, 5, 64])
def test_a_queue_at_random(places: int) -> None:
    rng = random.Random(places)

    async def program(stage: Stage) -> None:
        words: deque[int] = deque()
        for _ in range(400):
            comes, word = rng.random() < 0.7, rng.getrandbits(9)
            pops = bool(words) and rng.random() < 0.5
            seen = await stage.cycle(push=comes, word=word, pop=pops)
            full = len(words) == places
            assert (seen["some"], seen["full"]) == (bool(words), full)
            if words:
                assert seen["first"] == words[0]
            if pops:
                words.popleft()
            if comes and not full:
                words.append(word)

    play(WordQueue(9, places), program)


def test_a_queue_of_no_places_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^WordQueue needs at least 1 place, not 0$"):
        WordQueue(3, 0)
