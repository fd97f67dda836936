"""The serial barrier unit and its router, word by word from docs/microarchitecture.md, 4.7."""

from typing import Any

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import CONTROL, Counter, Kind
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import MeshSpec
from tests.models.golden.literal_mesh import LiteralMesh
from tests.models.golden.literal_unit import HERE, LiteralUnit, route

__all__ = ["LiteralSerialMesh", "LiteralSerialUnit"]

Chosen = tuple[str, int, int, dict[str, int]]
"""Of a message "port", its number, its class and its fields; else "register" and its number."""


class LiteralSerialUnit(LiteralUnit):
    """One unit; what it presents, the mesh looks up by ``stopped`` and ``served_ports``."""

    def __init__(self, network: MeshSpec, here: Node) -> None:
        super().__init__(network, here)
        for register in self.registers:
            register.update(up=0, down=0)
        self.given: list[ConfigRequest | None] = [None, None, None]
        self.early = 0
        self.served_ports, self.served_registers = [0] * 4, [0] * len(self.registers)
        self.served_before = [0] * 4
        self.being_read: Chosen | None = None
        self.at_hand: tuple[Chosen, int | None] | None = None
        self.letters: dict[int, tuple[int, int]] = {}
        self.turn = self.stays = 0

    @property
    def stopped(self) -> bool:
        """Whether a request of one of the last two cycles is for a register here."""
        return any(x is not None and x.address < 8 * len(self.registers) for x in self.given[:2])

    def take(
        self,
        presented: dict[int, tuple[int, int]],
        arrive: dict[int, int],
        request: ConfigRequest | None,
        started: bool,
    ) -> set[int]:
        """Return the ports whose (class, message) is chosen; the effects wait for ``edge``."""
        stopped, due, soon = self.stopped, self.given[2], self.given[1]
        self.begin(due)
        self.keep_early(soon)
        self.given = [request, *self.given[:2]]
        self.new_release: list[tuple[int, int]] = []
        self.filled: dict[int, tuple[int, int]] = {}
        self.holds = bool(self.now[self.turn]["up"] or self.now[self.turn]["down"])
        self.in_vain = False
        if self.at_hand is not None:
            chosen, number = self.at_hand
            if number is None:
                self.events[Counter.STRAY] += 1
            else:
                self.work(number, chosen)
        self.at_hand = None
        if self.being_read is not None:
            self.at_hand = (self.being_read, self.whose(self.being_read))
        self.served_before = list(self.served_ports)
        self.being_read = None if stopped else self.choose(presented)
        for number, data in arrive.items():
            self.arrive(number, data, started)
        taken = self.being_read is not None and self.being_read[0] == "port"
        return {self.being_read[1]} if taken and self.being_read is not None else set()

    def keep_early(self, soon: ConfigRequest | None) -> None:
        """Keep the word 0 that the next cycle's request may read: as it is now."""
        if soon is not None and soon.address < 8 * len(self.registers):
            register = self.now[soon.address // 8]
            fields = {field.name: register[field.name] for field in CONTROL.fields} | {"manager": 0}
            self.new_early = CONTROL.pack(fields | ({} if self.network.data_bits else {"op": 0}))
        else:
            self.new_early = 0

    def read(self, number: int, word: int) -> int | None:
        if 1 <= word <= 5:
            return None
        return self.early if word == 0 else super().read(number, word)

    def write(self, number: int, word: int, data: int) -> int | None:
        if word == 0 and self.left(self.now[number]):
            return None
        return super().write(number, word, data)

    def choose(self, presented: dict[int, tuple[int, int]]) -> Chosen | None:
        for port in range(4):
            if port in presented and not self.served_ports[port]:
                self.served_ports[port] = 1
                sync_class, message = presented[port]
                return "port", port, sync_class, self.layout.sync.unpack(message)
        for number, now in enumerate(self.now):
            candidate = now["waiting"] or (self.holds and number == self.turn)
            if candidate and not self.served_registers[number]:
                self.served_registers[number] = 1
                return "register", number, 0, {}
        self.served_ports, self.served_registers = [0] * 4, [0] * len(self.now)
        self.served_before = [0] * 4  # a round has ended
        return None

    def whose(self, chosen: Chosen) -> int | None:
        what, number, _, message = chosen
        if what == "register":
            return number
        for other, register in enumerate(self.now):
            if register["valid"] and register["gid"] == message["gid"]:
                return other
        return None

    def work(self, number: int, chosen: Chosen) -> None:
        now, new = self.now[number], self.new[number]
        what, port, sync_class, message = chosen
        if what == "port":
            if self.reduce_used(number, port, sync_class, message, alone=True):
                self.reduce(number, port, message["data"])
            elif self.distribute_used(number, port, sync_class, message):
                self.let_go(number, message["data"])
            else:
                self.events[Counter.STRAY] += 1
        elif now["waiting"]:
            new["waiting"], new["local"] = 0, 1
            self.combine(new, now["kept"])
        complete = all(new["arrived"] >> child & 1 for child in self.children(new))
        if not now["fired"] and complete and new["local"]:
            if now["root"]:
                self.let_go(number, new["acc"])
            else:
                new["fired"] = new["up"] = 1
        if not self.holds or number == self.turn:
            self.in_vain = not self.send(new) and number == self.turn

    def left(self, register: dict[str, Any]) -> bool:
        return bool(register["up"] or register["down"])

    def let_go(self, number: int, result: int) -> None:
        self.became = [0] * len(self.now)
        super().let_go(number, result)
        self.new[number]["down"] = 1

    def send(self, new: dict[str, Any]) -> bool:
        """Step 5: messages to all children, else that to the parent; return whether they go."""
        letters: dict[int, tuple[int, int]] = {}
        flag = "down" if new["down"] else "up"
        if not new[flag]:
            return True
        if flag == "down":
            for child in self.children(new):
                x, y, _ = new["nodes"][1 + child]
                letters[child] = self.letter(Kind.DISTRIBUTE, new, x, y, child % 2, new["result"])
        else:
            x, y, _ = new["nodes"][0]
            output = route(self.here, (x, y), new["turn"])
            if output != HERE:
                letters[output] = self.letter(Kind.REDUCE, new, x, y, new["turn"], new["acc"])
        if any(output in self.letters for output in letters):
            return False
        self.filled |= letters
        new[flag] = 0
        return True

    def letter(
        self, kind: Kind, register: dict[str, Any], x: int, y: int, sync_class: int, data: int
    ) -> tuple[int, int]:
        message = {"kind": kind, "gid": register["gid"], "epoch": register["epoch"], "x": x, "y": y}
        return sync_class, self.layout.sync.pack(message | {"turn": sync_class, "data": data})

    def arrive(self, number: int, data: int, started: bool) -> None:
        now, new = self.now[number], self.new[number]
        ready = now["valid"] and started and number != self.written
        if not ready or now["local"] or now["waiting"]:
            self.events[Counter.REFUSED_ARRIVE] += 1
        else:
            new.update(done=0, waiting=1, kept=data)

    def offer(self, credits: dict[tuple[int, int], int]) -> dict[int, tuple[int, int, int]]:
        return {
            output: (sync_class, message, output)
            for output, (sync_class, message) in self.letters.items()
            if credits[output, sync_class] >= 1
        }

    def edge(self, sent: list[int], overflow: int) -> None:
        self.events[Counter.OVERFLOW] += overflow
        if any(self.left(register) for register in self.now):
            if self.holds and self.stays < 14:
                self.stays += self.in_vain
            else:
                self.turn, self.stays = (self.turn + 1) % len(self.now), 0
        self.letters = {o: x for o, x in self.letters.items() if o not in sent} | self.filled
        for new in self.new:
            children = sum(1 << child for child in self.children(new))
            new["pending"] = new["up"] << 4 | new["down"] * children
        self.counters = [min(255, n + e) for n, e in zip(self.counters, self.events, strict=True)]
        self.registers, self.answer, self.early = self.new, self.new_answer, self.new_early
        self.release = sorted(self.new_release)


class LiteralSerialMesh(LiteralMesh):
    """All routers of a mesh of serial units: the way here is a route like the others."""

    unit_type = LiteralSerialUnit

    def __init__(self, network: MeshSpec) -> None:
        super().__init__(network)
        self.sent_before: set[tuple[int, int, int]] = set()
        self.stayed: set[tuple[int, int, int]] = set()

    def pick(self, n: int, port: int) -> tuple[int, int, int] | None:
        """Return (output, class, message) that an input presents."""
        unit = self.units[n]
        assert isinstance(unit, LiteralSerialUnit)
        eligible = {}
        for sync_class, message, out in self.occupied(n, port):
            came, lane = (n, port, sync_class) not in self.stayed, (n, out, sync_class)
            if out == HERE:
                may = not unit.served_before[port]
            else:
                may = self.credits[lane] >= 1 or lane in self.sent_before
            if came or may:
                eligible[sync_class] = (out, sync_class, message)
        return eligible.get(1 - self.presented_last[n, port]) or next(iter(eligible.values()), None)

    def present(self, n: int, port: int) -> tuple[int, int, int] | None:
        found = self.pick(n, port)
        if found is None or found[0] == HERE:
            return None
        return found if self.credits[n, found[0], found[1]] >= 1 else None

    def show(self, n: int, port: int) -> tuple[int, int] | None:
        found = self.pick(n, port)
        return found[1:] if found is not None and found[0] == HERE else None

    def edge(
        self,
        wires: dict[tuple[int, int, int], int],
        freed: set[tuple[int, int, int]],
        sent: list[list[int]],
    ) -> None:
        for n, port, sync_class in freed:
            self.presented_last[n, port] = sync_class
        occupied = {lane for lane, message in self.slots.items() if message is not None}
        self.stayed, self.sent_before = occupied - freed, set(wires)
        super().edge(wires, freed, sent)
