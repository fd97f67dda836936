"""A barrier register against its contract: all kinds, ports and states, all options."""

import random
from collections import Counter, deque
from typing import Any

import cocotb

from syncfabric.models.messages import CONTROL, NODE_WORD, PARENT_WORD, Kind, Op, RegisterWord
from syncfabric.models.networks.mesh import Port, Turn
from syncfabric.models.networks.spec import MeshSpec
from tests.rtl.barrier.register_model import PARENT, Inputs, Message, RegisterModel
from tests.rtl.support import Bench, Scoreboard

HERE = (2, 1)
CYCLES = 2400
CHILDLESS = 2
"""Which image is a relay's without children: it never fires."""


def network(**options: Any) -> MeshSpec:
    return MeshSpec(kind="mesh", width=5, height=4, **options)


CASES = {
    f"{operations}_{pipeline}": network(
        operations=operations,
        barrier_pipeline=pipeline,
        data_bits=4 if pipeline else 7,
    )
    for operations, pipeline in (("bitwise", 1), ("bitwise", 0), ("all", 0), ("all", 1))
}


def state_of(model: RegisterModel) -> str:
    """Return what a register is at, in a word."""
    return "idle" if not model.busy else "fired" if model.fired else "collecting"


class Stimuli:
    """Arrivals, messages, writes: mostly what an episode needs, often what disturbs it."""

    def __init__(self, rng: random.Random, model: RegisterModel) -> None:
        self.rng, self.model, self.layout = rng, model, model.spec.layout
        self.plan: deque[tuple[RegisterWord, int]] = deque()
        self.images = 0

    def image(self) -> None:
        """Plan a new image, to be written when the register is idle."""
        rng, spec = self.rng, self.model.spec
        self.images += 1
        childless = self.images == CHILDLESS
        self.plan.append((RegisterWord.CONTROL, 0))
        for word in range(RegisterWord.PARENT, RegisterWord.SOUTH + 1):
            x, y = rng.randrange(spec.width), rng.randrange(spec.height)
            if word == RegisterWord.PARENT and (x, y) == HERE:
                x += 1  # else no DISTRIBUTE would ever come
            present = rng.random() < 0.5 and not childless
            bits = NODE_WORD.pack({"x": x, "y": y, "present": present}) | rng.getrandbits(8) << 24
            if word == RegisterWord.PARENT:
                bits |= PARENT_WORD.pack({"relay": rng.random() < 0.2 or childless})
            self.plan.append((RegisterWord(word), bits))
        last = Op.SUM if spec.operations == "all" else Op.XOR
        control = {
            "valid": 1,
            "root": rng.random() < 0.3,
            "turn": rng.randrange(2),
            "op": rng.randint(0, last),
            "epoch": rng.randrange(4),
            "gid": rng.choice([3, 200]),
        }
        self.plan.append((RegisterWord.CONTROL, CONTROL.pack(control)))

    def write(self) -> tuple[RegisterWord, int] | None:
        """Return a planned write, or one that may well be refused."""
        if self.plan and self.rng.random() < 0.5:
            word, contents = self.plan[0]
            if not self.model.refuses(word):
                self.plan.popleft()
            return word, contents
        if not self.plan and self.model.busy and self.rng.random() < 0.05:
            return RegisterWord(self.rng.randrange(RegisterWord.STATUS)), self.rng.getrandbits(32)
        return None

    def message(self, port: int) -> Message:
        """Return a message that could be used at this port, with up to one thing changed."""
        rng, model = self.rng, self.model
        down = model.fired and rng.random() < 0.7
        along_x = port in (Port.EAST, Port.WEST)
        turn = 1 - model.control("turn") if down else int(along_x)
        fields = {
            "kind": Kind.DISTRIBUTE if down else Kind.REDUCE,
            "gid": model.control("gid"),
            "epoch": model.control("epoch"),
            "turn": turn,
        }
        change = rng.choice([None, None, "kind", "gid", "epoch", "turn"])
        if change is not None:
            fields[change] = rng.randrange({"kind": 4, "gid": 256, "epoch": 4, "turn": 2}[change])
        data = rng.getrandbits(model.spec.data_bits)
        return Message(
            Kind(fields["kind"]), fields["gid"], fields["epoch"], Turn(fields["turn"]), data
        )

    def probe(self, covered: Counter[tuple[Kind, int, str]]) -> Inputs:
        """Return inputs with one message, of the kind and by the port least seen in this state."""
        state = state_of(self.model)
        pairs = [(kind, port) for kind in Kind for port in range(4)]
        kind, port = min(pairs, key=lambda pair: covered[*pair, state])
        message = self.message(port)._replace(kind=kind)
        found = Inputs(messages={port: message})
        found.chosen = port if self.model.serial and self.model.reduces(found) else None
        return found

    def inputs(self, eager: float) -> Inputs:
        """Return the inputs of a cycle."""
        rng, model = self.rng, self.model
        eager *= 1 if model.busy else 0.2  # else the idle state would end at once
        found = Inputs(
            messages={p: self.message(p) for p in range(4) if rng.random() < eager},
            arrive=rng.random() < (0.3 if model.busy and not self.plan else 0.05),
            data=rng.getrandbits(model.spec.data_bits),
            started=rng.random() < 0.95,
            write=self.write(),
        )
        if model.serial:
            candidates: list[int | str] = sorted(model.reduces(found))
            candidates += ["local"] * model.waiting
            found.chosen = rng.choice(candidates) if candidates and rng.random() < 0.8 else None
        pending, _ = model.sendable(found)
        found.sent = frozenset(p for p in pending if rng.random() < 0.5)
        return found


def driven(model: RegisterModel, inputs: Inputs, noise: int) -> dict[str, int]:
    """Return the pins' values for a cycle; ``noise`` is where a value means nothing."""
    spec = model.spec
    values: dict[str, int] = {
        "started": inputs.started,
        "here": sum(1 << port for port in inputs.messages),
        "arrive": inputs.arrive,
        "data": inputs.data,
        "send__sent": sum(1 << place for place in inputs.sent),
        "write": 0 if inputs.write is None else 1 << inputs.write[0],
        "write_data": 0 if inputs.write is None else inputs.write[1],
        "up_port": noise,
    }
    if inputs.write is not None and inputs.write[0] == RegisterWord.CONTROL:
        turn = Turn(CONTROL.unpack(inputs.write[1] % (1 << CONTROL.width))["turn"])
        values["up_port"] = (1 << model.port_up(turn)) % 16
    if spec.operations == "all":
        values["chosen"] = 1 << inputs.chosen if isinstance(inputs.chosen, int) else 0
        values["chosen_local"] = inputs.chosen == "local"
    for port, message in inputs.messages.items():
        values[f"class_{port}"] = 1 << message.turn
        values[f"message_{port}"] = spec.layout.sync.pack(message._asdict())
    return values


def expected_outputs(model: RegisterModel, inputs: Inputs) -> dict[str, int]:
    """Return what must be seen in a cycle."""
    pending, data = model.sendable(inputs)
    expected: dict[str, int] = {
        "countable": sum(1 << port for port in model.reduces(inputs)),
        "used": sum(1 << port for port in model.used(inputs)),
        "waiting": model.waiting,
        "released": model.released,
        "result": model.result,
        "ready": model.control("valid") and inputs.started and not model.relay,
        "done": model.done,
        "refused": inputs.arrive and not model.accepts(inputs),
        "send__pending": sum(1 << place for place in pending),
        "send__control": model.image[RegisterWord.CONTROL],
        "write_refused": inputs.write is not None and model.refuses(inputs.write[0]),
        "contents": model.status,
        "status": model.status,
        "accumulated": model.acc,
    }
    if pending:
        expected["send__data"] = data
    if PARENT in pending:
        expected["send__up_port"] = (1 << model.up_port) % 16
    return expected


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def register_agrees_with_contract(dut: Any, case: str) -> None:
    """Many episodes under a dozen images; all that can be seen compared in every cycle.

    At the beginning of every cycle, before its own inputs, one message is shown for a moment: what
    would become of it is seen without a clock edge, in every state for every kind and port.
    """
    spec = CASES[case]
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng, model = bench.pins[case], board.rng, RegisterModel(spec, HERE)
    covered, events = Counter[tuple[Kind, int, str]](), Counter[str]()
    stimuli = Stimuli(rng, model)
    await bench.reset()

    async def show(cycle: int, inputs: Inputs) -> dict[str, int]:
        """Drive inputs, and compare what they and the state lead to."""
        pins.drive(driven(model, inputs, rng.randrange(8)))
        await bench.settle()
        expected = expected_outputs(model, inputs)
        stimulus = {**vars(inputs), "image": CONTROL.unpack(model.image[RegisterWord.CONTROL])}
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        used = model.used(inputs)
        for port in model.matches(inputs):
            kind = inputs.messages[port].kind
            covered[kind, port, state_of(model)] += 1
            events[kind.name + (" used" if port in used else " not used")] += 1
        return expected

    for cycle in range(CYCLES):
        if cycle % 120 == 0 and not stimuli.plan:
            stimuli.image()
        await show(cycle, stimuli.probe(covered))
        inputs = stimuli.inputs(eager=rng.choice([0.1, 0.4]))
        expected = await show(cycle, inputs)
        events["release"] += model.released
        events["refused arrive"] += expected["refused"]
        events["refused write"] += expected["write_refused"]
        events["several used"] += expected["used"].bit_count() > 1
        model.step(inputs)
        await bench.edge()
    for kind in Kind:
        for port in range(4):
            for state in ("idle", "collecting", "fired"):
                assert covered[kind, port, state], (kind, port, state)
        assert events[f"{kind.name} not used"]
    assert events["REDUCE used"] > 50
    assert events["DISTRIBUTE used"] > 5
    assert min(events["release"], events["refused arrive"]) > 10
    assert events["refused write"]
    assert model.serial or events["several used"]
