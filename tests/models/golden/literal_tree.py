"""Barrier registers of a switch or node interface, word by word from the contract, I4 and I5.

Slow and plain; it shares the layouts with the model and nothing else.
"""

from typing import Any

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import ARRIVED, CONTROL, PENDING, TREE, Counter, Kind, Op
from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["LiteralTree"]

STATE = {"arrived": 0, "fired": 0, "pending": 0, "up": 0, "acc": 0, "result": 0, "done": 0}


class LiteralTree:
    """Registers as they are at the start of a cycle (``now``) and will be at its end (``new``).

    In every cycle call ``begin``, ``send``, ``config``, ``take`` and ``edge``.
    """

    def __init__(self, network: IrregularSpec, is_node: bool) -> None:
        self.network, self.is_node = network, is_node
        self.ports = 2 if is_node else network.ports
        self.late = network.cycles_per_hop == 2 and not is_node
        self.serial = network.operations == "all" and not is_node
        image = CONTROL.unpack(0) | TREE.unpack(0) | STATE
        self.now: list[dict[str, Any]] = [dict(image) for _ in range(network.barrier_registers)]
        self.before = self.now
        self.counters = [0] * 4
        self.events_before = [0] * 4
        self.answer = (False, False, 0)
        self.release: list[tuple[int, int]] = []
        self.written: int | None = None
        self.written_before: int | None = None
        self.serial_pointer = self.send_pointer = 0

    def begin(self) -> None:
        self.new = [dict(register) for register in self.now]
        self.events = [0] * 4
        self.new_answer = (False, False, 0)
        self.new_release: list[tuple[int, int]] = []
        self.written = None

    def config(
        self, request: ConfigRequest, presented: dict[int, int], arrive: dict[int, int]
    ) -> None:
        """Look at a request, in the cycle after it was given."""
        met = {self.match(self.network.layout.sync.unpack(m)) for m in presented.values()}
        number, word = divmod(request.address, 8)
        counter = request.address - 1024
        value: int | None = None
        if number < len(self.now):
            value = (
                self.write(number, word, request.data, number in met or number in arrive)
                if request.write
                else self.read(number, word)
            )
        elif 0 <= counter < 4 and not request.write:
            value = self.counters[counter]
        self.events[Counter.REFUSED_WRITE] += request.write and value is None
        self.new_answer = (True, value is None, value or 0)

    def read(self, number: int, word: int) -> int | None:
        now = self.now[number]
        words = {
            0: CONTROL.pack({field.name: now[field.name] for field in CONTROL.fields}),
            1: TREE.pack({"parent": now["parent"], "children": now["children"]}),
            5: ARRIVED.pack({"arrived": now["arrived"], "fired": now["fired"]}),
            6: PENDING.pack({"children": now["pending"], "parent": now["up"]}),
            7: now["result"],
        }
        return words.get(word)

    def write(self, number: int, word: int, data: int, met: bool) -> int | None:
        """Return 0, or None for refused."""
        now, new = self.now[number], self.new[number]
        if word == 0:
            if met or now["arrived"] or now["fired"] or now["pending"] or now["up"]:
                return None
            new.update(CONTROL.unpack(data), turn=0, done=0)
            new["acc"] = Op(new["op"]).identity(self.network.data_bits)
            self.written = number
            return 0
        if word != 1 or now["valid"]:
            return None
        fields = TREE.unpack(data)
        new["children"] = fields["children"] % 2**self.ports
        new["parent"] = fields["parent"] % 2 ** (self.ports - 1).bit_length()
        return 0

    def send(self, is_open: list[bool]) -> dict[int, int]:
        """Return the messages that are sent, by output."""
        for step in range(len(self.now)):
            number = (self.send_pointer + step) % len(self.now)
            now, new = self.now[number], self.new[number]
            sent = {}
            for port in range(self.ports):
                if is_open[port] and now["pending"] >> port & 1:
                    sent[port] = self.message(now, Kind.DISTRIBUTE, now["result"])
                    new["pending"] &= ~(1 << port)
                if is_open[port] and now["up"] and port == now["parent"]:
                    sent[port] = self.message(now, Kind.REDUCE, now["acc"])
                    new["up"] = 0
            if sent:
                self.send_pointer = (number + 1) % len(self.now)
                return sent
        return {}

    def message(self, now: dict[str, Any], kind: Kind, data: int) -> int:
        fields = {"kind": kind, "gid": now["gid"], "epoch": now["epoch"], "data": data}
        return self.network.layout.sync.pack(fields)

    def match(self, message: dict[str, int]) -> int | None:
        for number, image in enumerate(self.before if self.late else self.now):
            wanted = image["valid"], image["gid"], image["epoch"]
            if wanted == (1, message["gid"], message["epoch"]):
                return number
        return None

    def take(self, presented: dict[int, int], arrive: dict[int, int], started: bool) -> set[int]:
        """Return the ports whose message is taken."""
        taken: set[int] = set()
        reduces: dict[int, tuple[int, int]] = {}
        joined: set[int] = set()
        for port in sorted(presented):
            message = self.network.layout.sync.unpack(presented[port])
            number, use = self.match(message), None
            if number is not None and number != self.written_before:
                use = self.use(self.now[number], port, message)
            if number is not None and use == Kind.REDUCE:
                reduces[port] = (number, message["data"])
                continue
            taken.add(port)
            if number is not None and use == Kind.DISTRIBUTE:
                self.distribute(number, message["data"])
            else:
                self.events[Counter.STRAY] += 1
        if self.serial:
            reduces = self.chosen(reduces)
        for port, (number, data) in reduces.items():
            taken.add(port)
            self.reduce(number, port, data)
            joined.add(number)
        for number, data in arrive.items():
            if self.admits(number, started):
                self.new[number]["done"] = 0
                self.reduce(number, 1, data)
                joined.add(number)
            else:
                self.events[Counter.REFUSED_ARRIVE] += 1
        for number in range(len(self.now)):
            self.fire(number)
        return taken

    def use(self, now: dict[str, Any], port: int, message: dict[str, int]) -> Kind | None:
        if message["kind"] == Kind.REDUCE:
            waits = now["children"] & ~now["arrived"] & ~now["pending"]
            return Kind.REDUCE if waits >> port & 1 else None
        if message["kind"] == Kind.DISTRIBUTE and not now["root"] and port == now["parent"]:
            return Kind.DISTRIBUTE if now["fired"] and not now["up"] else None
        return None

    def chosen(self, reduces: dict[int, tuple[int, int]]) -> dict[int, tuple[int, int]]:
        for step in range(self.ports):
            port = (self.serial_pointer + step) % self.ports
            if port in reduces:
                self.serial_pointer = (port + 1) % self.ports
                return {port: reduces[port]}
        return {}

    def admits(self, number: int, started: bool) -> bool:
        now = self.now[number]
        free = not now["arrived"] >> 1 & 1 and not now["fired"]
        expected = now["valid"] and now["children"] >> 1 & 1
        return bool(started and expected and free)

    def reduce(self, number: int, port: int, data: int) -> None:
        new = self.new[number]
        new["arrived"] |= 1 << port
        a = new["acc"]
        values = [a | data, a & data, a ^ data, max(a, data), min(a, data), a + data]
        new["acc"] = values[new["op"]] % 2**self.network.data_bits

    def fire(self, number: int) -> None:
        now, new = self.now[number], self.new[number]
        if not now["valid"] or number == self.written or now["fired"] or now["pending"]:
            return
        if now["children"] == 0 or now["children"] & ~new["arrived"]:
            return
        if now["root"]:
            self.distribute(number, new["acc"])
        else:
            new.update(fired=1, up=1)

    def distribute(self, number: int, data: int) -> None:
        new = self.new[number]
        new.update(result=data, arrived=0, fired=0, pending=new["children"])
        new["acc"] = Op(new["op"]).identity(self.network.data_bits)
        if self.is_node:
            new["pending"] &= 1
            if new["children"] >> 1 & 1:
                new["done"] = 1
                self.new_release.append((number, data))

    def edge(self) -> None:
        late = zip(self.counters, self.events_before, strict=True)
        self.counters = [min(255, n + e) for n, e in late]
        self.events_before, self.written_before = self.events, self.written
        self.before, self.now = self.now, self.new
        self.answer, self.release = self.new_answer, sorted(self.new_release)

    def observe(self) -> int:
        image, place = 0, 0
        widths = {"arrived": self.ports, "fired": 1, "pending": self.ports, "up": 1}
        widths |= {"acc": self.network.data_bits, "result": self.network.data_bits}
        for register in self.now:
            for name, width in widths.items():
                image |= register[name] << place
                place += width
        return image | sum(count << place + 8 * i for i, count in enumerate(self.counters))
