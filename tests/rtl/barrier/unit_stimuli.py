"""Random life for a barrier unit: groups, their messages, arrivals and writes, good and bad."""

import random
from collections import deque

from syncfabric.models.golden.barrier_register import PARENT, BarrierRegister
from syncfabric.models.messages import (
    CONTROL,
    COUNTER_BASE,
    NODE_WORD,
    PARENT_WORD,
    Counter,
    Kind,
    Op,
    RegisterWord,
    register_address,
)
from tests.rtl.barrier.unit_model import UnitInputs, UnitModel, message_of

__all__ = ["UnitStimuli"]


def _waits_for(entry: BarrierRegister, port: int) -> bool:
    """Return whether the next message that a group needs can come by a port."""
    up = entry.letters[PARENT]
    if entry.fired:
        return up is not None and up.port == port
    return entry.valid and port in entry.children - entry.arrived


class UnitStimuli:
    """Chooses inputs by looking at the model: most of them useful, some of them not.

    Parameters
    ----------
    rng : random.Random
    model : UnitModel
    """

    def __init__(self, rng: random.Random, model: UnitModel) -> None:
        self.rng, self.model, self.spec = rng, model, model.spec
        self.waiting: list[dict[int, int]] = [{} for _ in range(4)]  # port: {class: bits}
        self.requests: deque[tuple[int, bool, int]] = deque()
        mesh = model.spec.mesh
        self.others = [node for node in mesh.nodes if mesh.index(node) != model.node]
        self.registers = len(model.unit.registers)
        self.gids = rng.sample(range(256), self.registers)
        self.last = Op.SUM if self.spec.operations == "all" else Op.XOR
        self._asks = False  # anything: when what was to be set up at first is

    def set_up(self, number: int, *, after_reset: bool = False) -> None:
        """Ask for a new image of a register.

        After a reset it has no children but those that are written.
        """
        rng, gid = self.rng, self.gids[number]

        def address(word: RegisterWord) -> int:
            return register_address(number, word)

        self.requests.append((address(RegisterWord.CONTROL), True, 0))
        for word in range(RegisterWord.PARENT, RegisterWord.SOUTH + 1):
            if after_reset and word != RegisterWord.PARENT and rng.random() < 0.3:
                continue
            x, y = rng.choice(self.others)
            node = NODE_WORD.pack({"x": x, "y": y, "present": rng.random() < 0.45})
            if word == RegisterWord.PARENT:
                node |= PARENT_WORD.pack({"relay": rng.random() < 0.2})
            self.requests.append((address(RegisterWord(word)), True, node))
        control = {
            "valid": 1,
            "root": rng.random() < 0.4,
            "turn": rng.randrange(2),
            "op": rng.randint(0, self.last),
            "epoch": rng.randrange(4),
            "gid": gid,
            "manager": rng.randrange(4),
        }
        self.requests.append((address(RegisterWord.CONTROL), True, CONTROL.pack(control)))

    def _message(self, port: int) -> int:
        rng, spec = self.rng, self.spec
        entries = self.model.unit.registers
        useful = [entry for entry in entries if _waits_for(entry, port)]
        entry = rng.choice(useful if useful and rng.random() < 0.8 else entries)
        fields = {field.name: rng.getrandbits(field.width) for field in spec.layout.sync.fields}
        if entry.valid:
            down = entry.fired and rng.random() < 0.8
            turn = 1 - port % 2
            if down:
                turn = 1 - entry.turn
            fields |= {"kind": Kind.DISTRIBUTE if down else Kind.REDUCE, "turn": turn}
            fields |= {"gid": entry.gid, "epoch": entry.epoch}
            if rng.random() < 0.1:
                fields["kind"] = rng.randrange(4)
            if rng.random() < 0.1:
                fields["turn"] = rng.randrange(2)
        return spec.layout.sync.pack(fields)

    def _is_early(self, bits: int) -> bool:
        """Return whether a child would arrive again while a child is still to hear of the end.

        None does so, for it waits for that message itself; the contract says no more.
        """
        fields = self.spec.layout.sync.unpack(bits)
        return fields["kind"] == Kind.REDUCE and any(
            register.gid == fields["gid"] and register.pending - {PARENT}
            for register in self.model.unit.registers
        )

    def _request(self) -> tuple[int, bool, int] | None:
        rng = self.rng
        self._asks = self._asks or not self.requests
        if self.requests and rng.random() < 0.5:
            return self.requests.popleft()
        if self._asks and rng.random() < 0.15:
            read = rng.randrange(8 * self.registers)
            base = rng.choice(
                [read, COUNTER_BASE + rng.randrange(len(Counter)), 8 * self.registers]
            )
            data = rng.getrandbits(14)
            if CONTROL.unpack(data)["op"] > self.last:  # combines to no stated value
                data &= ~1
            return (base, rng.random() < 0.1, data)
        return None

    def inputs(self, eager: float) -> UnitInputs:
        """Return the inputs of a cycle."""
        rng = self.rng
        for port in range(4):
            if rng.random() < eager:
                bits = self._message(port)
                turn = self.spec.layout.sync.unpack(bits)["turn"]
                self.waiting[port].setdefault(turn, bits)
        flood = 0.3 if self.model.now // 150 % 4 == 2 else 0.01  # the counter comes to its end
        found = UnitInputs(
            credits=rng.getrandbits(8) | rng.getrandbits(8),
            overflows=rng.randrange(10) if rng.random() < flood else 0,
            start=self.model.now == 30 or rng.random() < 0.001,
            request=self._request(),
        )
        for port, slots in enumerate(self.waiting):
            ripe = [bits for bits in slots.values() if not self._is_early(bits)]
            if ripe and rng.random() < 0.9:
                found.here[port] = message_of(self.spec, rng.choice(ripe))
        for r in range(self.registers):
            if rng.random() < 0.15:
                found.arrive[r] = rng.getrandbits(self.spec.data_bits)
        return found

    def took(self, inputs: UnitInputs, ports: set[int]) -> None:
        """Free the slots of messages that the unit took."""
        for port in ports:
            del self.waiting[port][inputs.here[port].turn]
