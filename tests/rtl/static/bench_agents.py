"""The agents of rings and trees against what the contract says of them."""

import random
from dataclasses import dataclass
from typing import Any

import cocotb

from tests.rtl.support import Bench, Scoreboard

RINGS = {f"ring_{b}": b for b in (1, 2, 16)}
TREES = ("tree_16",)
WORD = 1 << 16


@dataclass
class State:
    left: int = 0
    owed: int = 0
    back: bool = False
    go: bool = False
    begun: bool = False


def ring_step(state: State, places: int, pin: dict[str, int]) -> dict[str, int]:
    """Return what the agent of a ring does in a cycle; ``state`` is as after it."""
    root, left = bool(pin["root"]), state.left
    pop = bool(pin["some"] and (left or state.back))
    if pin["hold"] and (root or left <= 2):
        pop = False
    ends = False
    if pop and state.back:
        state.back = False
    elif pop:
        state.left -= 1
        ends = state.left == 0
    send = bool(pin["free"]) and (state.owed > 0 or (ends and root))
    if ends and root:
        state.owed += places + 1
        state.back = True
    if pin["init"]:
        state.owed, state.begun = places, True
    if pin["arrive"]:
        state.owed += root
        state.left = places + (1 if root else 2)
    state.owed -= send
    return {"pop": pop, "send": send, "ends": ends}


def tree_step(state: State, pin: dict[str, int]) -> dict[str, int]:
    """Return what the agent of a tree does in a cycle; ``state`` is as after it."""
    pop = send = ends = False
    if pin["root"]:
        if pin["free"] and state.left:
            send, state.left = True, state.left - 1
        elif pin["free"] and state.go and not pin["hold"]:
            send = ends = True
            state.go, state.left = False, (pin["flits"] - 1) % WORD
        if pin["init"]:
            state.left, state.begun = (pin["flits"] - 1) % WORD, True
        state.go |= bool(pin["arrive"])
    else:
        pop = bool(pin["some"] and state.left and not (pin["hold"] and state.left == 1))
        state.left -= pop
        ends = pop and state.left == 0
        if pin["arrive"]:
            state.left = pin["flits"]
    return {"pop": pop, "send": send, "ends": ends}


def level(rng: random.Random, share: float) -> int:
    return int(rng.random() < share)


@cocotb.test()
@cocotb.parametrize(case=[*RINGS, *TREES])
async def agents_do_what_the_contract_says(dut: Any, case: str) -> None:
    """Lives of a root or a member, each ended by a flush; flits and credits come at any rate."""
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng, state = bench.pins[case], board.rng, State()
    ring = case in RINGS
    done = {"pop": 0, "send": 0, "ends": 0}
    held = 0
    await bench.reset(shaken=50)
    pin = {"clear": 1}
    for cycle in range(6000):
        if pin["clear"]:
            root, state = level(rng, 0.5), State()
            flits = rng.choice((1, 2, 5, 300, rng.getrandbits(16) | 1))
            shares = {name: rng.choice((0.3, 0.95)) for name in ("some", "free")}
            pins.drive({"clear": 1})
            await bench.edge()
        waits = state.go if not ring and root else state.left > 0
        startable = root and not state.begun
        pin = {
            "root": root,
            "arrive": not startable and not waits and level(rng, 0.3),
            "init": startable and level(rng, 0.2),
            "hold": level(rng, 0.2),
            # The contract says nothing of more than 63 flits owed.
            "some": level(rng, shares["some"]) and state.owed < 40,
            "free": level(rng, shares["free"]),
            "clear": level(rng, 0.005),
        }
        if not ring:
            pin["flits"] = flits
        before = {"left": state.left, "begun": state.begun, "waiting": waits}
        before |= {"owed": state.owed, "back": state.back} if ring else {"go": state.go}
        held += bool(pin["hold"] and pin["some"] and state.left == 1)
        does = ring_step(state, RINGS[case], pin) if ring else tree_step(state, pin)
        pins.drive(pin)
        await bench.settle()
        expected = before | does
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=pin)
        for name, yes in does.items():
            done[name] += yes
        await bench.edge()
    assert min(*done.values(), held) > 20, (done, held)
