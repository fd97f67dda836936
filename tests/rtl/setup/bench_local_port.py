"""The LOCAL port of a mesh router between all that it joins, against queues."""

import random
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import cocotb

from tests.rtl.setup.cases import CASES, MESH, coin, packet
from tests.rtl.support import Bench, Scoreboard

CASE = CASES["mesh"]
CHANNELS, PLACES = MESH.channels, MESH.buffer_flits
TAIL = 1 << MESH.layout.flit.offsets["tail"]
REPLY = 1 << MESH.layout.header.offsets["reply"]


def words(rng: random.Random, length: int) -> list[int]:
    return [rng.getrandbits(MESH.flit_bits) for _ in range(length)]


@dataclass
class Sender:
    """Offers packets, a flit until it is taken, now and then."""

    rng: random.Random
    lengths: tuple[int, int]
    flits: deque[int] = field(default_factory=deque)
    begun: bool = False

    def offer(self, chance: float) -> int | None:
        """Return the flit on offer; a packet once begun has no gaps."""
        if not self.flits and coin(self.rng, chance):
            length = self.rng.randint(*self.lengths)
            self.flits.extend(packet(CASE, words(self.rng, length)))
        return self.flits[0] if self.flits else None


@cocotb.test()
async def port_agrees_with_queues(dut: Any) -> None:
    """Packets of all sorts both ways; the sink listens, and credits come, now and then."""
    bench, board = Bench(dut), Scoreboard("port")
    pins, rng = bench.pins["port"], board.rng
    replies, requests = Sender(rng, (2, 2)), Sender(rng, (2, 7))
    arriving = Sender(rng, (2, 7))
    credits, room = [PLACES] * (CHANNELS + 1), PLACES  # the router's input; our buffer
    held: deque[tuple[int, int]] = deque()
    source_credits = [PLACES] * CHANNELS
    in_router: list[int] = []
    buffer: deque[int] = deque()
    owner, to_manager, freed_before = None, False, False
    counts = {"replies": 0, "requests": 0, "ordinary": 0, "to_sink": 0, "to_manager": 0}
    hurry, patience, ears = 0.0, 0.0, 0.0
    await bench.reset()
    for cycle in range(4000):
        if cycle % 100 == 0:
            hurry, patience = rng.choice([0.1, 0.9]), rng.choice([0.1, 0.9])
            ears = rng.choice([0.1, 0.9])
        # Into the router.
        credit = rng.choice(in_router) if in_router and coin(rng, patience) else None
        reply, request = replies.offer(hurry), requests.offer(hurry)
        chosen = owner if owner is not None else ("replies" if reply is not None else "requests")
        offered = reply if chosen == "replies" else request
        sends = offered is not None and credits[CHANNELS] > 0
        channel = rng.randrange(CHANNELS)
        local = None
        if source_credits[channel] and coin(rng, hurry):
            local = MESH.layout.flit.pack({"payload": rng.getrandbits(36), "head": coin(rng, 0.5)})
            held.append((channel, local))
        on_link = (CHANNELS, offered or 0) if sends else held.popleft() if held else None
        # Out of the router.
        leaving, leaving_channel = None, rng.choice([0, 1, CHANNELS, CHANNELS])
        if leaving_channel == CHANNELS:
            leaving = arriving.offer(hurry) if room else None
        elif coin(rng, hurry):
            leaving = MESH.layout.flit.pack({"payload": rng.getrandbits(36), "tail": 1})
        front = buffer[0] if buffer else None
        fields = MESH.layout.flit.unpack(front or 0)
        if front is not None and fields["head"]:
            to_manager = bool(front & REPLY)
        listening = coin(rng, ears)
        taken = front is not None and (to_manager or listening)
        sink_credit = rng.getrandbits(CHANNELS)

        ordinary = leaving is not None and leaving_channel < CHANNELS
        stimulus = {
            "local_in__valid": 0 if local is None else 1 << channel,
            "local_in__flit": local or 0,
            "local_out__credit": sink_credit,
            "router_in__credit": 0 if credit is None else 1 << credit,
            "router_out__valid": 0 if leaving is None else 1 << leaving_channel,
            "router_out__flit": leaving or 0,
            "reply_valid": reply is not None,
            "reply_flit": reply or 0,
            "request_valid": request is not None,
            "request_flit": request or 0,
            "listening": listening,
        }
        expected = {
            "router_in__valid": 0 if on_link is None else 1 << on_link[0],
            "router_in__flit": 0 if on_link is None else on_link[1],
            "local_in__credit": 0 if credit in (None, CHANNELS) else 1 << (credit or 0),
            "reply_taken": sends and chosen == "replies",
            "request_taken": sends and chosen == "requests",
            "local_out__valid": 1 << leaving_channel if ordinary else 0,
            "local_out__flit": (leaving or 0) if ordinary else 0,
            "router_out__credit": sink_credit | freed_before << CHANNELS,
            "sink_valid": front is not None and not to_manager,
            "manager_valid": front is not None and to_manager,
            "overflow": 0,
        }
        if front is not None:
            expected["manager_flit" if to_manager else "sink_flit"] = front
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)

        if sends:
            flit = (replies if chosen == "replies" else requests).flits.popleft()
            owner = None if flit & TAIL else chosen
            counts[chosen] += 1
        if on_link is not None:
            in_router.append(on_link[0])
            counts["ordinary"] += on_link[0] < CHANNELS
        if local is not None:
            source_credits[channel] -= 1
        credits[CHANNELS] -= sends
        if credit is not None:
            in_router.remove(credit)
            if credit < CHANNELS:
                source_credits[credit] += 1
            else:
                credits[CHANNELS] += 1
        room += freed_before
        if taken:
            buffer.popleft()
            counts["to_manager" if to_manager else "to_sink"] += 1
        freed_before = taken
        if leaving is not None and leaving_channel == CHANNELS:
            buffer.append(arriving.flits.popleft())
            room -= 1
        await bench.edge()
    assert min(counts.values()) > 100, counts


@cocotb.test()
async def what_has_no_place_is_counted(dut: Any) -> None:
    """One set-up flit more than places, and more of the process's than there are credits."""
    bench = Bench(dut)
    pins = bench.pins["port"]
    await bench.reset()
    flit = CASE.flit(0, head=True, tail=False)
    pins.drive({"reply_valid": 1, "reply_flit": flit})
    for cycle in range(PLACES + 1):
        pins.drive({"router_out__valid": 1 << CHANNELS, "router_out__flit": flit})
        await bench.settle()
        assert pins["overflow"] == (cycle == PLACES)
        await bench.edge()
    pins.drive({"router_out__valid": 0, "reply_valid": 0})
    # The process's flits are held while set-up flits have the link: their credits all at once.
    pins.drive({"local_in__valid": 1, "local_in__flit": flit, "reply_valid": 1})
    pins.drive({"router_in__credit": 1 << CHANNELS})
    await bench.edge()
    for cycle in range(CHANNELS * PLACES + 1):
        await bench.settle()
        assert pins["router_in__valid"] == 1 << CHANNELS
        assert pins["overflow"] == (2 if cycle == CHANNELS * PLACES else 0)
        await bench.edge()
