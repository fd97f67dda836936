"""An output's messages against orders and credits: who sends in every cycle."""

from typing import Any

import cocotb

from syncfabric.models.golden.order import LeastRecentlySent
from syncfabric.models.networks.mesh import Turn
from syncfabric.models.networks.spec import MeshSpec
from tests.rtl.mesh.walks import outputs_from
from tests.rtl.support import Bench, Scoreboard

UNIT = 4
PORTS = range(4)
SPECS = {
    "shared": MeshSpec(kind="mesh", width=4, height=5),
    "own": MeshSpec(kind="mesh", width=4, height=5, channels=0),
}


@cocotb.test()
@cocotb.parametrize(name=list(SPECS), port=PORTS)
async def sends_agree_with_orders(dut: Any, name: str, port: int) -> None:
    """The least recently sent of those that ask goes, and no class without its credit."""
    spec = SPECS[name]
    bench, board = Bench(dut), Scoreboard(f"{name}_{port}")
    pins, rng, order = bench.pins[board.name], board.rng, LeastRecentlySent(5)
    credits, sent, of_class = [1, 1], [0] * 5, [0, 0]
    await bench.reset()
    for cycle in range(1000):
        calls: dict[int, int] = {}
        for i in range(5):
            allowed = [
                turn for turn in Turn if i == UNIT or (i != port and port in outputs_from(i, turn))
            ]
            able = [int(turn) for turn in allowed if credits[turn]]
            if able and rng.random() < 0.5:
                calls[i] = rng.choice(able)
        winner = order.first(list(calls)) if calls else None
        back = [not credits[turn] and rng.random() < 0.5 for turn in range(2)]
        words = [rng.getrandbits(spec.layout.sync.width) for _ in range(5)]
        stimulus = {
            "offer": sum(1 << i for i in calls),
            "credit": back[0] | back[1] << 1,
            **{f"class_{i}": 1 << calls.get(i, 0) for i in range(5)},
            **{f"sync_{i}": word for i, word in enumerate(words)},
        }
        stimulus = {name: value for name, value in stimulus.items() if name in pins}
        pins.drive(stimulus)
        await bench.settle()
        expected = {
            "valid": 0 if winner is None else 1 << calls[winner],
            "sends": winner is not None,
            "take": 0 if winner is None else 1 << winner,
            "has_credit": credits[0] | credits[1] << 1,
        }
        if name == "own":
            expected["sync"] = 0 if winner is None else words[winner]
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        if winner is not None:
            credits[calls[winner]] -= 1
            order.sent(winner)
            sent[winner] += 1
            of_class[calls[winner]] += 1
        for turn in range(2):
            credits[turn] += back[turn]
        await bench.edge()
    assert min(sent[i] for i in range(5) if i != port) > 40
    assert min(of_class) > 100
