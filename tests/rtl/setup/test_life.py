"""The life of a register: each event alone and together with others."""

import random

from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import Kind
from syncfabric.rtl.setup.life import LIFE_STATE, LifeStep
from tests.rtl.support import SEED, evaluate

STATE = ("go", "last", "dying", "freed", "broken", "wave")
EVENTS = (
    "written", "command_go", "command_kill", "message_go", "message_broken", "plain", "release",
    "root_fires", "arrives", "has_arrived", "quiet", "clear_freed",
)  # fmt: skip


def lived(was: dict[str, int], now: dict[str, int]) -> dict[str, int]:
    """Return the state after a cycle, and what else is seen, as section S1 tells it."""
    goes = (now["command_go"] or now["message_go"]) and not was["go"]
    dies = (now["command_kill"] or now["message_broken"]) and not was["dying"]
    last = was["last"] and not now["plain"]
    state = dict(was)
    if now["release"]:
        state |= {"wave": Kind.DISTRIBUTE}
    if goes:
        state |= {"go": 1, "wave": Kind.GO}
    if now["clear_freed"]:
        state["freed"] = 0
    if now["root_fires"] and last:
        state["freed"] = 1
    if now["arrives"]:
        state["broken"] = 0
    frees_member = dies and (now["has_arrived"] or now["arrives"])
    if dies:
        state |= {"go": 0, "dying": 1, "freed": 0, "wave": Kind.BROKEN}
        state["broken"] = 1 if frees_member else state["broken"]
    wave_now = state["wave"]
    if now["command_kill"] and not now["message_broken"]:  # the command shows a cycle later
        wave_now = Kind.DISTRIBUTE if now["release"] else was["wave"]
    ends = was["dying"] and now["quiet"]
    if ends:
        state |= {"dying": 0, "go": 0}
    state["last"] = last or now["release"]
    if now["written"]:
        state |= {"go": 0, "last": 1, "freed": 0, "broken": 0}
    return {
        **state,
        "goes": goes,
        "dies": dies,
        "begins": goes or dies,
        "ends": ends,
        "frees": now["root_fires"] and last and not dies,
        "frees_member": frees_member,
        "last_now": last,
        "wave_now": wave_now,
    }


class Step(wiring.Component):
    """A step, its state as single bits."""

    def __init__(self) -> None:
        outputs = ("goes", "dies", "begins", "ends", "frees", "frees_member", "last_now")
        super().__init__(
            {
                **{f"was_{name}": In(LIFE_STATE[name].shape) for name in STATE},
                **{name: In(1) for name in EVENTS},
                **{name: Out(LIFE_STATE[name].shape) for name in STATE},
                **{name: Out(1) for name in outputs},
                **{"wave_now": Out(2)},
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.step = step = LifeStep()
        for name in STATE:
            m.d.comb += getattr(step.was, name).eq(getattr(self, f"was_{name}"))
            m.d.comb += getattr(self, name).eq(getattr(step.after, name))
        for name in EVENTS:
            m.d.comb += getattr(step, name).eq(getattr(self, name))
        for name in ("goes", "dies", "begins", "ends", "frees", "frees_member"):
            m.d.comb += getattr(self, name).eq(getattr(step, name))
        m.d.comb += [self.last_now.eq(step.last), self.wave_now.eq(step.wave_now)]
        return m


def test_what_becomes_of_a_life() -> None:
    rng = random.Random(SEED)
    cases, expected = [], []
    for number in range(1200):
        was = {name: rng.randrange(4 if name == "wave" else 2) for name in STATE}
        rate = 0.1 if number % 2 else 0.4
        now = {name: int(rng.random() < rate) for name in EVENTS}
        cases.append({**{f"was_{name}": value for name, value in was.items()}, **now})
        expected.append({name: int(value) for name, value in lived(was, now).items()})
    for case, seen, wanted in zip(cases, evaluate(Step(), cases), expected, strict=True):
        assert seen == wanted, case
