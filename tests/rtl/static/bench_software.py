"""Paper Reflex, Algorithm 1, as software on the core ports: corrected, and as it was printed."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

from syncfabric.models.messages.static import INIT, ROLE_WORD, LoaderWord, Role, StaticWord
from syncfabric.models.networks.mesh import Mesh, Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.free_links import Output
from syncfabric.models.planning.static_routes import chain_words
from tests.rtl.static.rings import EDGE, ring_routes

SIDE = int(os.environ.get("STATIC_SIDE", "2"))
SPEC = StaticSpec(kind="static", width=SIDE, height=SIDE)
LATE = 200
PLACES = SPEC.core_buffer
MOST = PLACES + SPEC.switch_buffer + SPEC.injection_buffer
RECV, SEND, PAUSE = "recv", "send", "pause"

Steps = Iterator[tuple[str, int]]


class Core:
    """A program, and when it arrived at and left each barrier."""

    def __init__(
        self, root: bool, waits: list[int], wait_reads: int, fillers: int = PLACES
    ) -> None:
        self.now, self.arrived, self.left = 0, [], []
        self._fillers = fillers
        self._steps = self._root(waits) if root else self._other(waits, wait_reads)
        self._does, self._count = next(self._steps, ("", 0))
        self._skip()

    arrived: list[int]
    left: list[int]

    def _root(self, waits: list[int]) -> Steps:
        yield SEND, self._fillers  # Init
        for pause in waits:
            yield PAUSE, pause
            self.arrived.append(self.now)
            yield SEND, 1  # Notify
            yield RECV, self._fillers + 1  # Wait
            yield SEND, self._fillers + 1
            yield RECV, 1
            self.left.append(self.now)

    def _other(self, waits: list[int], wait_reads: int) -> Steps:
        for pause in waits:
            yield PAUSE, pause
            self.arrived.append(self.now)
            yield RECV, self._fillers  # Notify
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


async def load(dut: Any, routes: Mapping[Output, int]) -> None:
    """Reset everything, and load routes."""
    for name in ("arrive", "hold", "send_valid", "send_flit", "recv_take", "config_valid"):
        getattr(dut, name).value = 0
    dut.rst.value = 1
    Clock(dut.clk, 10, unit="ns").start()
    for _ in range(2):
        await FallingEdge(dut.clk)
    dut.rst.value = 0
    loader = SPEC.layout.loader
    for word in chain_words(SPEC, routes, routes):
        await config(dut, loader, LoaderWord.SHIFT, word)
    await config(dut, loader, LoaderWord.STROBE, 0)


async def barriers(
    dut: Any, pauses: list[list[int]], wait_reads: int, cycles: int, fillers: int = PLACES
) -> list[Core]:
    """Load a ring, run the programs for so many cycles, and return them; the first is the root."""
    await load(dut, ring_routes(EDGE[SIDE]))
    mesh = Mesh(SIDE, SIDE)
    places = [mesh.index(node) for node in EDGE[SIDE]]
    cores = [Core(i == 0, waits, wait_reads, fillers) for i, waits in enumerate(pauses)]
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
    count = len(EDGE[SIDE])
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
    episodes = len(EDGE[SIDE]) + 2
    cores = await barriers(dut, pauses(episodes), 2, episodes * (LATE + 40))
    assert [len(core.left) for core in cores] == [episodes] * len(cores)
    assert early(cores) == 0


@cocotb.test()
async def the_printed_one_releases_early(dut: Any) -> None:
    """One core is late once: those ahead of it on the ring take the notify for the release."""
    waits = [[0] for _ in EDGE[SIDE]]
    waits[-1] = [LATE]
    cores = await barriers(dut, waits, 1, 100)
    assert not cores[-1].arrived
    assert early(cores) == len([core for core in cores if core.left]) >= len(cores) - 2


@cocotb.test(skip=SIDE > 2)
@cocotb.parametrize(fillers=[PLACES - 1, PLACES, MOST, MOST + 1])
async def fillers_that_do_and_do_not(dut: Any, fillers: int) -> None:
    """One fewer than a core buffer holds: early. One more than fit: the root stays in Wait."""
    episodes = len(EDGE[SIDE])
    cores = await barriers(dut, pauses(episodes), 2, episodes * (LATE + 60), fillers)
    assert bool(early(cores)) == (fillers < PLACES)
    over = [len(core.left) for core in cores]
    assert over == [episodes - (fillers > MOST)] + [episodes] * (len(cores) - 1)


@cocotb.test(skip=SIDE > 2)
@cocotb.parametrize(less=[0, 1])
async def a_tree_needs_every_flit(dut: Any, less: int) -> None:
    """A chain from the root, whose farthest member is late. One flit less: the root is gone."""
    ring = EDGE[SIDE]
    root, last = (Mesh(SIDE, SIDE).index(node) for node in (ring[0], ring[-1]))
    routes = {
        (switch, port): source
        for (switch, port), source in ring_routes(ring).items()
        # All but what closes the ring: the last link, and the path to the root's core.
        if (switch != last or port == Port.LOCAL) and (switch, port) != (root, Port.LOCAL)
    }
    longest = SPEC.switch_buffer * (len(ring) - 1)
    flits = 1 + SPEC.injection_buffer + longest + SPEC.core_buffer - less
    await load(dut, routes)
    index = [Mesh(SIDE, SIDE).index(node) for node in ring]
    for place, node in enumerate(index):
        role = Role.TREE if place else Role.TREE_ROOT
        await config(dut, node, StaticWord.ROLE, ROLE_WORD.pack({"role": role, "flits": flits}))
    await config(dut, index[0], StaticWord.COMMAND, INIT)

    async def arrive(places: list[int]) -> None:
        dut.arrive.value = sum(1 << index[place] for place in places)
        await FallingEdge(dut.clk)
        dut.arrive.value = 0
        for _ in range(LATE):
            await FallingEdge(dut.clk)

    def gone() -> list[int]:
        done = int(dut.done.value)
        return [place for place, node in enumerate(index) if done >> node & 1]

    every = list(range(len(ring)))
    await arrive(every[:-1])
    assert gone() == [0] * less
    await arrive(every[-1:])
    assert gone() == every
