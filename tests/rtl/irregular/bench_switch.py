"""One switch alone, its neighbours played by the bench: what goes where, and how soon."""

from typing import Any

import cocotb

from syncfabric.models.messages import (
    CONTROL,
    COUNTER_BASE,
    TREE,
    Counter,
    Kind,
    SwitchWord,
    register_address,
)
from syncfabric.models.networks.spec import IrregularSpec
from tests.rtl.irregular.specs import network
from tests.rtl.irregular.sync_model import Message
from tests.rtl.support import Bench

PORTS, SWITCHES = 4, 6
NUMBER, TARGET = 4, 10
CASES = {
    f"switch_{c}": network(
        ports=PORTS,
        switches=SWITCHES,
        channels=2,
        buffer_flits=2,
        cycles_per_hop=c,
        barrier_registers=2,
    )
    for c in (1, 2)
}
TABLE = (0, 1, 2, 3, 0, PORTS)
"""Output for each destination switch: the first four have a port each, the last the sink."""


class Surroundings:
    """Neighbours and config port of a switch."""

    def __init__(self, bench: Bench, case: str) -> None:
        self.bench, self.pins, self.spec = bench, bench.pins[case], CASES[case]
        self.hop = self.spec.cycles_per_hop
        bits = self.spec.layout.port_bits
        routes = sum(code << bits * d for d, code in enumerate(TABLE))
        self.pins.drive({"number": NUMBER, "target": TARGET, "routes": routes})

    async def cycle(self, **values: int) -> dict[str, int]:
        """Drive these inputs for a cycle, 0 from then on; return the busy wires out."""
        self.pins.drive(values)
        await self.bench.settle()
        names = [
            f"{end}_{p}__{wire}"
            for p in range(PORTS)
            for end, wire in (
                ("out", "valid"), ("out", "flit"), ("out", "sync_valid"), ("in", "credit"),
            )
        ]  # fmt: skip
        seen = self.pins.read(names)
        await self.bench.edge()
        self.pins.drive(dict.fromkeys(values, 0))
        return {name: value for name, value in seen.items() if value}

    async def rest(self, cycles: int) -> list[dict[str, int]]:
        """Let time go by; return what was busy in each cycle."""
        return [await self.cycle() for _ in range(cycles)]

    async def request(self, address: int, data: int | None = None) -> tuple[int, int]:
        """Write or read a word; return error and data of the answer, two cycles later."""
        await self.cycle(
            config__valid=1,
            config__node=TARGET,
            config__address=address,
            config__write=data is not None,
            config__data=data or 0,
        )
        await self.cycle()
        await self.bench.settle()
        assert self.pins["config__ready"] == 1
        return self.pins["config__error"], self.pins["config__rdata"]

    async def count(self, counter: Counter) -> int:
        """Read a counter."""
        error, value = await self.request(COUNTER_BASE + counter)
        assert not error
        return value

    async def set_up(self, register: int, parent: int, children: list[int], **control: int) -> None:
        """Write an image."""
        tree = TREE.pack({"parent": parent, "children": sum(1 << p for p in children)})
        words = {
            SwitchWord.TREE: tree,
            SwitchWord.CONTROL: CONTROL.pack({"valid": 1, **control}),
        }
        for word, data in words.items():
            assert await self.request(register_address(register, word), data) == (0, 0)
            assert await self.request(register_address(register, word)) == (0, data)


async def switch_of(dut: Any, case: str) -> Surroundings:
    """Return the surroundings of a switch after reset."""
    bench = Bench(dut)
    await bench.reset(shaken=50)
    return Surroundings(bench, case)


def flit(spec: IrregularSpec, payload: int, *, head: int = 1, tail: int = 1) -> int:
    """Return a flit."""
    return spec.layout.flit.pack({"payload": payload, "head": head, "tail": tail})


def header(spec: IrregularSpec, switch: int, port: int = 0) -> int:
    """Return the flit of a packet that is but a header."""
    return flit(spec, spec.layout.header.pack({"switch": switch, "port": port}) | 5 << 20)


def come(port: int, word: int, channel: int = 0) -> dict[str, int]:
    """Return a flit on a link in, as pins."""
    return {f"in_{port}__valid": 1 << channel, f"in_{port}__flit": word}


def gone(port: int, word: int, channel: int = 0) -> dict[str, int]:
    """Return a flit on a link out, as what is busy."""
    return {f"out_{port}__valid": 1 << channel, f"out_{port}__flit": word}


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def flits_take_the_stated_cycles(dut: Any, case: str) -> None:
    """Every input, channel and output, by the table, by the port at the end, and by a route."""
    switch = await switch_of(dut, case)
    spec, hop = switch.spec, switch.hop
    for port in range(PORTS):
        for channel in range(2):
            for output in range(PORTS):
                route = {"by_route": 1, "count": 2, "port_0": output, "port_1": 3}
                left = {"by_route": 1, "count": 1, "port_0": 3}
                by_table, at_end = header(spec, output), header(spec, NUMBER, output)
                ways = [(by_table, by_table), (at_end, at_end)]
                ways.append(
                    (
                        flit(spec, spec.layout.route.pack(route)),
                        flit(spec, spec.layout.route.pack(left)),
                    )
                )
                for word, passed_on in ways:
                    if (word, output) == (by_table, NUMBER):
                        continue
                    assert not await switch.cycle(**come(port, word, channel))
                    seen = await switch.rest(3)
                    expected: list[dict[str, int]] = [{}, {}, {}]
                    expected[hop - 1] |= gone(output, passed_on, channel)
                    expected[1] |= {f"in_{port}__credit": 1 << channel}
                    assert seen == expected, (port, channel, output)
                    await switch.cycle(**{f"out_{output}__credit": 1 << channel})


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def datelines_change_the_channel(dut: Any, case: str) -> None:
    """Channels 0 and 1 both go on in channel 1, where they take turns, packet by packet."""
    switch = await switch_of(dut, case)
    spec, words = switch.spec, []
    switch.pins.drive({"dateline": 0b0110})
    for port in range(PORTS):
        for channel in range(2):
            crosses = port in (1, 2)
            await switch.cycle(**come(3, header(spec, port), channel))
            seen = await switch.rest(2)
            beyond = 1 if crosses else channel
            assert gone(port, header(spec, port), beyond).items() <= seen[switch.hop - 1].items()
            await switch.cycle(**{f"out_{port}__credit": 1 << beyond})
    # Two packets of two flits for output 1, one in each channel of input 0, side by side.
    for tail in (0, 1):
        for channel in range(2):
            payload = spec.layout.header.pack({"switch": 1}) | channel << 20 | tail << 21
            words.append((channel, flit(spec, payload, head=1 - tail, tail=tail)))
    steps = [pins for channel, word in words for pins in (come(0, word, channel), {})]
    sent, credit = [], 0
    for pins in (*steps, *({} for _ in range(9))):
        links = await switch.cycle(**pins, out_1__credit=credit)
        credit = links.get("out_1__valid", 0)
        assert credit in (0, 2)
        sent += [links["out_1__flit"]] if credit else []
    order = [word for channel in range(2) for c, word in words if c == channel]
    assert sent == order
    assert await switch.count(Counter.OVERFLOW) == 0


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def used_up_flits_give_way(dut: Any, case: str) -> None:
    """The flit behind becomes the head, is not looked into, and takes the used-up flit's output."""
    switch = await switch_of(dut, case)
    spec, layout = switch.spec, switch.spec.layout
    for output in range(PORTS):
        route = {"by_route": 1, "count": 1, "port_0": output}
        first = flit(spec, layout.route.pack(route), tail=0)
        # It looks used up itself, for another output.
        second = layout.route.pack({**route, "port_0": (output + 1) % PORTS}) | 1 << 21
        await switch.cycle(**come(2, first))
        assert await switch.rest(3) == [{}, {"in_2__credit": 1}, {}]
        await switch.cycle(**come(2, flit(spec, second, head=0)))
        seen = await switch.rest(2)
        assert gone(output, flit(spec, second)).items() <= seen[switch.hop - 1].items()
        await switch.cycle(**{f"out_{output}__credit": 1})


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def the_sink_swallows_and_counts_packets(dut: Any, case: str) -> None:
    """Packets without a way on: nothing goes out, places are freed, tails are counted."""
    switch = await switch_of(dut, case)
    spec, layout, strays = switch.spec, switch.spec.layout, 0
    lost = [
        header(spec, 5),
        header(spec, NUMBER, PORTS),
        header(spec, NUMBER, PORTS + 2),
        header(spec, 7),
        flit(spec, layout.route.pack({"by_route": 1, "port_0": 1})),
        flit(spec, layout.route.pack({"by_route": 1, "count": 3, "port_0": PORTS})),
        flit(spec, layout.route.pack({"by_route": 1, "count": 1, "port_0": 1})),
    ]
    for word in lost:
        for port in (0, 3):
            await switch.cycle(**come(port, word))
            assert await switch.rest(3) == [{}, {f"in_{port}__credit": 1}, {}]
            strays += 1
    # Heads at all inputs at once, their tails later: one packet after the other.
    freed: list[str] = []
    for head in (1, 0):
        pins: dict[str, int] = {}
        for port in range(PORTS):
            payload = layout.header.pack({"switch": 5})
            pins |= come(port, flit(spec, payload, head=head, tail=1 - head))
        await switch.cycle(**pins)
        freed += [name for seen in await switch.rest(12) for name in seen]
    assert freed == [f"in_{port}__credit" for port in (1, 1, 2, 2, 0, 0, 3, 3)]
    assert await switch.count(Counter.STRAY) == strays + PORTS
    assert await switch.count(Counter.OVERFLOW) == 0


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def what_does_not_fit_is_dropped_and_counted(dut: Any, case: str) -> None:
    """Without credits two flits go, two wait, the others are lost."""
    switch = await switch_of(dut, case)
    words = [header(switch.spec, 1) ^ i << 20 for i in range(7)]
    sent: list[int] = []
    for word in words:
        for seen in (await switch.cycle(**come(0, word)), *await switch.rest(2)):
            sent += [seen["out_1__flit"]] if "out_1__valid" in seen else []
    assert sent == words[:2]
    assert await switch.count(Counter.OVERFLOW) == len(words) - 4
    for word in words[2:4]:
        seen = await switch.cycle(out_1__credit=1)
        assert not seen
        expected: list[dict[str, int]] = [{}, {"in_0__credit": 1}, {}]
        expected[switch.hop - 1] |= gone(1, word)
        assert await switch.rest(3) == expected


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def barriers_take_the_stated_cycles(dut: Any, case: str) -> None:
    """A REDUCE on the link in t goes on in t + c, and so does what comes back, to all children."""
    switch = await switch_of(dut, case)
    spec, hop = switch.spec, switch.hop
    await switch.set_up(1, 2, [0, 1, 3], gid=9, epoch=1, op=2)

    def message(kind: Kind, data: int, epoch: int = 1) -> int:
        return Message(kind, 9, epoch, data).bits(spec)

    def sync(port: int, word: int) -> dict[str, int]:
        return {f"in_{port}__sync_valid": 1, f"in_{port}__flit": word}

    for data in (0, 5):
        for port in (0, 1):
            seen = await switch.cycle(**sync(port, message(Kind.REDUCE, port + 1)))
            assert not any(s for s in (seen, *await switch.rest(3)))
        both = [
            message(Kind.REDUCE, 8, epoch=3),  # a stray
            message(Kind.REDUCE, 1),  # came already
            message(Kind.DISTRIBUTE, 1),  # nothing has gone up
        ]
        for port, word in zip((3, 0, 2), both, strict=True):
            seen = await switch.cycle(**sync(port, word))
            assert not any(s for s in (seen, *await switch.rest(3)))
        up = {"out_2__sync_valid": 1, "out_2__flit": message(Kind.REDUCE, 1 ^ 2 ^ data)}
        await switch.cycle(**sync(3, message(Kind.REDUCE, data)))
        assert await switch.rest(4) == [up if i == hop - 1 else {} for i in range(4)]
        await switch.cycle(**sync(2, message(Kind.DISTRIBUTE, 40 + data)))
        word = message(Kind.DISTRIBUTE, 40 + data)
        down = {f"out_{p}__sync_valid": 1 for p in (0, 1, 3)}
        down |= {f"out_{p}__flit": word for p in (0, 1, 3)}
        assert await switch.rest(4) == [down if i == hop - 1 else {} for i in range(4)]
    assert await switch.count(Counter.STRAY) == 6


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def messages_leave_half_of_a_link_to_flits(dut: Any, case: str) -> None:
    """Barrier after barrier of two groups by one output, and a stream of flits by the same."""
    switch = await switch_of(dut, case)
    spec, credit, way = switch.spec, 0, ""
    for register in range(2):
        await switch.set_up(register, 0, [1], gid=register, root=1)
    for cycle in range(24):
        pins = {"out_1__credit": credit, "in_1__sync_valid": 1}
        pins["in_1__flit"] = Message(Kind.REDUCE, cycle % 2, 0, 0).bits(spec)
        if cycle % 2 == 0:
            pins |= come(3, header(spec, 1))
        seen = await switch.cycle(**pins)
        credit = seen.get("out_1__valid", 0)
        way += "S" if "out_1__sync_valid" in seen else "F" if credit else "."
    assert way[4:].strip("SF") == "", way
    assert way.count("S") == way.count("SF") + way.endswith("S"), way
    assert way.count("F") > 8, way


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def requests_for_others_are_not_answered(dut: Any, case: str) -> None:
    """The port is everybody's; what does not exist is refused, and refused writes are counted."""
    switch = await switch_of(dut, case)
    for target in range(16):
        await switch.cycle(config__valid=1, config__node=target)
        seen = 0
        for _ in range(4):
            await switch.bench.settle()
            seen += switch.pins["config__ready"]
            await switch.bench.edge()
        assert seen == (target == TARGET), target
    missing = [register_address(0, SwitchWord(0)) + word for word in (2, 3, 4)]
    missing += [16, 1023, COUNTER_BASE + len(Counter), 4095]
    for address in missing:
        assert await switch.request(address) == (1, 0), address
        assert await switch.request(address, 1) == (1, 0), address
    for word in (SwitchWord.ARRIVED, SwitchWord.PENDING, SwitchWord.RESULT):
        assert await switch.request(register_address(1, word), 1) == (1, 0)
        assert await switch.request(register_address(1, word)) == (0, 0)
    assert await switch.count(Counter.REFUSED_WRITE) == len(missing) + 3
