"""Paper Reflex, Algorithm 1, as software on the core ports: corrected, and as it was printed."""

import os
from collections.abc import Iterator
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

from syncfabric.models.messages import LoaderWord
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.route_chain import chain_words
from tests.rtl.static.rings import RIM, ring_routes

SIDE = int(os.environ.get("STATIC_SIDE", "2"))
SPEC = StaticSpec(kind="static", width=SIDE, height=SIDE)
LATE = 200
RECV, SEND, PAUSE = "recv", "send", "pause"

Steps = Iterator[tuple[str, int]]


class Core:
    """A program, and when it arrived at and left each barrier."""

    def __init__(self, root: bool, waits: list[int], wait_reads: int) -> None:
        self.now, self.arrived, self.left = 0, [], []
        self._steps = self._root(waits) if root else self._other(waits, wait_reads)
        self._does, self._count = next(self._steps, ("", 0))
        self._skip()

    arrived: list[int]
    left: list[int]

    def _root(self, waits: list[int]) -> Steps:
        buffer = SPEC.core_buffer
        yield SEND, buffer  # Init
        for pause in waits:
            yield PAUSE, pause
            self.arrived.append(self.now)
            yield SEND, 1  # Notify
            yield RECV, buffer + 1  # Wait
            yield SEND, buffer + 1
            yield RECV, 1
            self.left.append(self.now)

    def _other(self, waits: list[int], wait_reads: int) -> Steps:
        for pause in waits:
            yield PAUSE, pause
            self.arrived.append(self.now)
            yield RECV, SPEC.core_buffer  # Notify
            yield RECV, wait_reads  # Wait
            self.left.append(self.now)

    def _skip(self) -> None:
        while self._does and not self._count:
            self._does, self._count = next(self._steps, ("", 0))

    def step(self, now: int, can_read: bool, can_send: bool) -> tuple[bool, bool]:
        """Return whether it takes a flit and whether it sends one in this cycle."""
        takes, sends = self._does == RECV and can_read, self._does == SEND and can_send
        self.now = now + 1
        if takes or sends or self._does == PAUSE:
            self._count -= 1
            self._skip()
        return takes, sends


async def config(dut: Any, node: int, address: int, data: int) -> None:
    """Write a word; the loader takes 32 more cycles for SHIFT."""
    values = {"valid": 1, "node": node, "address": address, "write": 1, "data": data}
    for name, value in values.items():
        getattr(dut, f"config_{name}").value = value
    await FallingEdge(dut.clk)
    dut.config_valid.value = 0
    for _ in range(33):
        await FallingEdge(dut.clk)


async def barriers(dut: Any, pauses: list[list[int]], wait_reads: int, cycles: int) -> list[Core]:
    """Load a ring, run the programs for so many cycles, and return them; the first is the root."""
    for name in ("arrive", "hold", "send_valid", "send_flit", "recv_take", "config_valid"):
        getattr(dut, name).value = 0
    dut.rst.value = 1
    Clock(dut.clk, 10, unit="ns").start()
    for _ in range(2):
        await FallingEdge(dut.clk)
    dut.rst.value = 0
    routes, loader = ring_routes(RIM[SIDE]), SPEC.layout.loader
    for word in chain_words(SPEC, routes, routes):
        await config(dut, loader, LoaderWord.SHIFT, word)
    await config(dut, loader, LoaderWord.STROBE, 0)
    mesh = Mesh(SIDE, SIDE)
    places = [mesh.index(node) for node in RIM[SIDE]]
    cores = [Core(i == 0, waits, wait_reads) for i, waits in enumerate(pauses)]
    for now in range(cycles):
        await Timer(1, "ns")
        valid, ready = int(dut.recv_valid.value), int(dut.send_ready.value)
        take = send = 0
        for core, place in zip(cores, places, strict=True):
            takes, sends = core.step(now, bool(valid >> place & 1), bool(ready >> place & 1))
            take, send = take | takes << place, send | sends << place
        dut.recv_take.value, dut.send_valid.value = take, send
        await FallingEdge(dut.clk)
    return cores


def pauses(episodes: int) -> list[list[int]]:
    """Return every core's pauses: each in turn is late, the others follow at once."""
    count = len(RIM[SIDE])
    return [
        [LATE if episode % count == core else 3 * core % 5 for episode in range(episodes)]
        for core in range(count)
    ]


def early(cores: list[Core]) -> int:
    """Return how many times a core left a barrier before all had arrived at it."""
    return sum(
        left < max((c.arrived[e] for c in cores if e < len(c.arrived)), default=0)
        or any(e >= len(c.arrived) for c in cores)
        for core in cores
        for e, left in enumerate(core.left)
    )


@cocotb.test()
async def the_corrected_algorithm_holds(dut: Any) -> None:
    """Nobody leaves before all have arrived, and everybody leaves every time."""
    episodes = len(RIM[SIDE]) + 2
    cores = await barriers(dut, pauses(episodes), 2, episodes * (LATE + 40))
    assert [len(core.left) for core in cores] == [episodes] * len(cores)
    assert early(cores) == 0


@cocotb.test()
async def the_printed_one_releases_early(dut: Any) -> None:
    """One core is late once: those ahead of it on the ring take the notify for the release."""
    waits = [[0] for _ in RIM[SIDE]]
    waits[-1] = [LATE]
    cores = await barriers(dut, waits, 1, 100)
    assert not cores[-1].arrived
    assert early(cores) == len([core for core in cores if core.left]) >= len(cores) - 2
