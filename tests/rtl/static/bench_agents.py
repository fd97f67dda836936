"""The agents of rings and trees beside their golden models."""

import random
from typing import Any

import cocotb

from syncfabric.models.golden.static_agent import Agent
from syncfabric.models.messages.static import Role
from tests.rtl.support import Bench, Scoreboard

RINGS = {f"ring_{b}": b for b in (1, 2, 16)}
TREES = ("tree_16",)


def level(rng: random.Random, share: float) -> int:
    return int(rng.random() < share)


@cocotb.test()
@cocotb.parametrize(case=[*RINGS, *TREES])
async def agents_do_what_their_models_do(dut: Any, case: str) -> None:
    """Lives of a root or a member, each ended by a flush; flits and credits come at any rate."""
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng, agent, ring = bench.pins[case], board.rng, Agent(RINGS.get(case, 1)), case in RINGS
    roles = (Role.RING, Role.RING_ROOT) if ring else (Role.TREE, Role.TREE_ROOT)
    shown = ("left", "begun", *(("owed", "back") if ring else ("go",)))
    done, held = {"pop": 0, "send": 0, "ends": 0}, 0
    await bench.reset(shaken=50)
    pin = {"clear": 1}
    for cycle in range(6000):
        if pin["clear"]:
            root = level(rng, 0.5)
            agent.reset()
            agent.role = roles[root]
            agent.flits = rng.choice((1, 2, 5, 300, rng.getrandbits(16) | 1))
            shares = {name: rng.choice((0.3, 0.95)) for name in ("some", "free")}
            pins.drive({"clear": 1})
            await bench.edge()
        startable = root and not agent.begun
        pin = {
            "root": root,
            "arrive": not startable and not agent.waits and level(rng, 0.3),
            "init": startable and level(rng, 0.2),
            "hold": level(rng, 0.2),
            # The contract says nothing of more than 63 flits owed.
            "some": level(rng, shares["some"]) and agent.owed < 40,
            "free": level(rng, shares["free"]),
            "clear": level(rng, 0.005),
        }
        if not ring:
            pin["flits"] = agent.flits
        expected = {"waiting": agent.waits, **{name: getattr(agent, name) for name in shown}}
        held += bool(pin["hold"] and pin["some"] and agent.left == 1)
        agent.hold = bool(pin["hold"])
        act = agent.step(
            occupied=bool(pin["some"]), credit=bool(pin["free"]), arrive=bool(pin["arrive"])
        )
        if pin["init"]:
            agent.begin()
        does = dict(zip(done, act, strict=True))
        expected |= does
        pins.drive(pin)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=pin)
        for name, yes in does.items():
            done[name] += yes
        await bench.edge()
    assert min(*done.values(), held) > 20, (done, held)
