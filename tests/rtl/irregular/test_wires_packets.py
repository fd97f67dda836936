"""Packets beside barrier wires go as they do where there is no barrier at all, and the reverse."""

import random
from typing import Any

import pytest

from syncfabric.models.messages import Op
from syncfabric.models.networks.spec import IrregularSpec
from tests.rtl.irregular.row import Row, Source
from tests.rtl.irregular.specs import network
from tests.rtl.support import SEED

CYCLES = 160
COUNT = 3


def _packets(spec: IrregularSpec, node: int) -> list[tuple[int, list[int]]]:
    """Return packets of one to four flits to all nodes, the sink of a switch among them."""
    rng, layout = random.Random(f"{SEED} {node}"), spec.layout
    packets = []
    for _ in range(60):
        to, length = rng.randrange(COUNT), rng.randint(1, 4)
        port = 2 if rng.random() < 0.9 else spec.ports
        words = [layout.header.pack({"switch": to, "port": port})]
        words += [rng.getrandbits(16) for _ in range(length - 1)]
        flits = [
            layout.flit.pack({"payload": word, "head": i == 0, "tail": i == length - 1})
            for i, word in enumerate(words)
        ]
        packets.append((rng.randrange(spec.channels), flits))
    return packets


def _run(
    spec: IrregularSpec, registers: list[int], *, flow: bool = True
) -> tuple[list[list[Any]], dict[int, list[tuple[int, int, int]]]]:
    """Run packets, and barriers without a pause.

    Returns
    -------
    received : list of list
        What comes to each node in each cycle.
    releases : dict
        By register: cycle, node and result of each.
    """
    row, bits, word = Row(spec), spec.data_bits, (1 << spec.data_bits) - 1
    sources = [Source(row, i, _packets(spec, i) if flow else []) for i in range(COUNT)]
    releases: dict[int, list[tuple[int, int, int]]] = {register: [] for register in registers}

    async def drive(context: Any) -> None:
        for register in registers:
            await row.set_up_group(context, register, gid=5 + register, op=Op.XOR)
        for node in row.nodes:
            context.set(node.start, 1)
        await context.tick()
        for cycle in range(CYCLES):
            for i, (node, source) in enumerate(zip(row.nodes, sources, strict=True)):
                source.step(context)
                released, result = context.get(node.released), context.get(node.result)
                arrive = data = 0
                for r in registers:
                    if released >> r & 1:
                        releases[r].append((cycle, i, result >> bits * r & word))
                    arrive |= (cycle == 0 or released >> r & 1) << r
                    data |= (cycle * 7 + i & word) << bits * r
                context.set(node.arrive, arrive)
                context.set(node.data, data)
            await context.tick()

    row.run(drive)
    return [source.received for source in sources], releases


@pytest.mark.long
@pytest.mark.parametrize("hop", [1, 2])
def test_neither_is_in_the_others_way(hop: int) -> None:
    keys: dict[str, Any] = {"ports": 3, "switches": COUNT, "barrier_registers": 2}
    keys |= {"channels": 2, "buffer_flits": 2, "cycles_per_hop": hop}
    messages, wires = network(**keys), network(**keys, sync="wires")
    alone, _ = _run(messages, [])
    assert min(sum(flit is not None for flit in flits) for flits in alone) > 25
    _, free = _run(wires, [0, 1], flow=False)
    assert min(len(releases) for releases in free.values()) > 25
    assert _run(wires, [0, 1]) == (alone, free)

    disturbed, barriers = _run(messages, [0])
    assert disturbed != alone, "messages are in the packets' way"
    first = messages.barrier_registers
    assert _run(network(**keys, sync="both"), [0, first]) == (
        disturbed,
        {0: barriers[0], first: free[0]},
    )
