"""The registers of a barrier unit and its config port, word by word from the contract.

Source: docs/microarchitecture.md, sections 4, 4.5, 4.6 and 7.
"""

from typing import Any

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import CONTROL, NODE_WORD, STATUS, Counter, Op
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["LiteralRegisters"]

EMPTY = {"arrived": 0, "local": 0, "waiting": 0, "fired": 0, "pending": 0, "kept": 0}


class LiteralRegisters:
    """Registers as they are at the start of a cycle (``now``) and will be at its end (``new``)."""

    def __init__(self, network: MeshSpec) -> None:
        self.network, self.layout = network, network.layout
        self.registers: list[dict[str, Any]] = [
            CONTROL.unpack(0) | EMPTY | {"nodes": [(0, 0, 0)] * 5, "acc": 0, "result": 0, "done": 0}
            for _ in range(network.barrier_registers)
        ]
        self.counters = [0] * len(Counter)
        self.answer = (False, False, 0)

    def begin(self, request: ConfigRequest | None) -> None:
        """Begin a cycle, with its request."""
        self.now = self.registers
        self.new = [dict(register) for register in self.now]
        self.events = [0] * len(Counter)
        self.new_answer = (False, False, 0)
        self.written: int | None = None
        if request is not None:
            self.config(request)

    def config(self, request: ConfigRequest) -> None:
        """Section 4.5."""
        number, word = divmod(request.address, 8)
        counter = request.address - 1024
        value: int | None = None
        if number < len(self.now):
            value = (
                self.write(number, word, request.data) if request.write else self.read(number, word)
            )
        elif 0 <= counter < len(Counter) and not request.write:
            value = self.counters[counter]
        self.events[Counter.REFUSED_WRITE] += request.write and value is None
        self.new_answer = (True, value is None, value or 0)

    def read(self, number: int, word: int) -> int | None:
        now = self.now[number]
        if word == 0:
            return CONTROL.pack({field.name: now[field.name] for field in CONTROL.fields})
        if word <= 5:
            x, y, present = now["nodes"][word - 1]
            return NODE_WORD.pack({"x": x, "y": y, "present": present})
        return self.status(now) if word == 6 else int(now["result"])

    def write(self, number: int, word: int, data: int) -> int | None:
        """Return 0, or None for refused."""
        now, new = self.now[number], self.new[number]
        if word == 0:
            if any(now[field.name] for field in STATUS.fields):
                return None
            new.update(CONTROL.unpack(data), done=0)
            new["acc"] = Op(new["op"]).identity(self.network.data_bits)
            self.written = number
            return 0
        if word > 5 or now["valid"]:
            return None
        fields = NODE_WORD.unpack(data)
        x = fields["x"] % (1 << self.layout.x_bits)
        y = fields["y"] % (1 << self.layout.y_bits)
        present = 0 if word == 1 else fields["present"]
        new["nodes"] = [(x, y, present) if w == word else n for w, n in enumerate(now["nodes"], 1)]
        return 0

    def status(self, register: dict[str, Any]) -> int:
        return STATUS.pack({field.name: register[field.name] for field in STATUS.fields})

    def observe(self) -> int:
        """Section 7."""
        width, image, place = self.network.data_bits, 0, 0
        for register in self.registers:
            image |= self.status(register) << place
            image |= register["acc"] << place + 12
            image |= register["result"] << place + 12 + width
            place += 12 + 2 * width
        return image | sum(count << place + 8 * i for i, count in enumerate(self.counters))
