"""A barrier register against its contract: all kinds and ports in all states, and what disturbs."""

import random
from collections import Counter, deque
from typing import Any

import cocotb

from syncfabric.models.messages import Kind
from tests.rtl.irregular.life import image
from tests.rtl.irregular.specs import network
from tests.rtl.irregular.sync_model import Message
from tests.rtl.irregular.tree_model import Inputs, TreeModel
from tests.rtl.support import Bench, Scoreboard

CASES = {
    "register_switch": (network(), False),
    "register_serial": (network(ports=4, data_bits=5, operations="all"), False),
    "register_no_data": (network(ports=6, data_bits=0), False),
    "register_node": (network(), True),
    "register_node_all": (network(operations="all", data_bits=4), True),
}
CYCLES = 1200


class Stimuli:
    """Mostly what an episode needs, often what disturbs it."""

    def __init__(self, rng: random.Random, model: TreeModel) -> None:
        self.rng, self.model = rng, model
        self.plan: deque[tuple[int, int]] = deque()

    def write(self) -> tuple[int, int] | None:
        """Return a planned write, or one that may well be refused."""
        rng = self.rng
        if self.plan and rng.random() < 0.5:
            return self.plan[0]
        if not self.plan and self.model.busy and rng.random() < 0.1:
            return rng.randrange(2), rng.getrandbits(32)
        return None

    def messages(self, eager: float) -> dict[int, Message]:
        """Return messages that match, most of them such as could be used."""
        rng, model = self.rng, self.model
        if not model.valid and not model.rewritten:
            return {}
        found = {}
        for p in model.links:
            kind = Kind.REDUCE
            if model.fired and p == model.parent:
                kind = Kind.DISTRIBUTE
            if rng.random() < 0.15:
                kind = Kind(rng.randrange(4))
            if rng.random() < eager:
                data = rng.getrandbits(model.spec.data_bits or 1) % (1 << model.spec.data_bits)
                found[p] = Message(kind, *(model.name or (0, 0)), data)
        return found

    def inputs(self) -> Inputs:
        """Return the inputs of a cycle."""
        rng, model = self.rng, self.model
        found = Inputs(
            messages=self.messages(rng.choice([0.05, 0.8 if model.node else 0.4])),
            started=rng.random() < 0.95,
            write=self.write(),
            sent={p for p in model.to_send if rng.random() < 0.4},
        )
        if model.node and rng.random() < (0.6 if found.messages else 0.2):
            found.arrive = rng.getrandbits(model.spec.data_bits)
        if model.serial:
            candidates = sorted(model.reduces(found.messages))
            found.chosen = rng.choice(candidates) if candidates and rng.random() < 0.8 else None
        return found


def driven(model: TreeModel, inputs: Inputs, word: int) -> dict[str, int]:
    """Return the pins' values for a cycle."""
    values = {
        "match": sum(1 << p for p in inputs.messages),
        "send__sent": sum(1 << p for p in inputs.sent),
        "write": 0 if inputs.write is None else 1 << inputs.write[0],
        "write_data": 0 if inputs.write is None else inputs.write[1],
        "word": word,
    }
    if model.node:
        arrive = inputs.arrive
        values |= {"arrive": arrive is not None, "data": arrive or 0, "started": inputs.started}
    if model.serial:
        values["chosen"] = 0 if inputs.chosen is None else 1 << inputs.chosen
    for p, message in inputs.messages.items():
        values[f"message_{p}"] = message.bits(model.spec)
    return values


def expected_outputs(model: TreeModel, inputs: Inputs, word: int) -> dict[str, int]:
    """Return what must be seen in a cycle."""
    letter = model.letter
    expected: dict[str, int] = {
        "countable": sum(1 << p for p in model.reduces(inputs.messages)),
        "used": sum(1 << p for p in model.used(inputs)),
        "open": model.valid,
        "gid": model.control["gid"],
        "epoch": model.control["epoch"],
        "send__children": sum(1 << p for p in model.pending),
        "send__parent": 1 << model.parent if model.up else 0,
        "write_refused": model.refuses(inputs),
        "read_data": model.read(word),
        "observe": model.observed,
    }
    if model.to_send:
        kind = "send__up_kind" if model.up else "send__wave"
        expected |= {kind: letter.kind, "send__gid": letter.gid, "send__epoch": letter.epoch}
        expected["send__data"] = letter.data
    if model.node:
        expected |= {
            "released": model.released,
            "result": model.result,
            "ready": model.valid and inputs.started,
            "done": model.done,
            "refused": inputs.arrive is not None and not model.accepts(inputs),
        }
    return expected


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def register_agrees_with_contract(dut: Any, case: str) -> None:
    """Many episodes under a score of images; all that can be seen compared in every cycle."""
    spec, node = CASES[case]
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng, model = bench.pins[case], board.rng, TreeModel(spec, node=node)
    stimuli, events = Stimuli(rng, model), Counter[str]()
    await bench.reset()
    for cycle in range(CYCLES):
        if cycle % 60 == 0 and not stimuli.plan:
            stimuli.plan.extend(image(rng, model, rng.randrange(256)))
        inputs, word = stimuli.inputs(), rng.randrange(8)
        expected = expected_outputs(model, inputs, word)
        stimulus = driven(model, inputs, word)
        pins.drive(stimulus)
        await bench.settle()
        about = {**vars(inputs), "control": model.control, "children": model.children}
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=about)

        used = model.used(inputs)
        for p, message in inputs.messages.items():
            events[f"{Kind(message.kind).name} {'used' if p in used else 'stray'}"] += 1
        events["several used"] += len(used) + model.accepts(inputs) > 1
        events["second"] += any(p in model.arrived for p in inputs.messages)
        events["deaf"] += model.rewritten and bool(inputs.messages)
        events["refused arrive"] += inputs.arrive is not None and not model.accepts(inputs)
        if inputs.write is not None:
            events["refused write" if model.refuses(inputs) else "write"] += 1
        if stimuli.plan and inputs.write == stimuli.plan[0] and not model.refuses(inputs):
            stimuli.plan.popleft()
        events["episode"] += model.step(inputs)
        await bench.edge()
    wanted = ["REDUCE used", "REDUCE stray", "DISTRIBUTE used", "DISTRIBUTE stray", "GO stray"]
    wanted += ["second", "refused write", "episode"]
    wanted += ["refused arrive"] if node else []
    assert model.serial or events["several used"], events
    assert min(events[name] for name in wanted) > 3, events
    assert events["deaf"], events
