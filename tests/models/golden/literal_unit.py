"""The barrier unit of a router, word by word from docs/microarchitecture.md: slow and plain.

It shares the layouts with the model and nothing else.
"""

from typing import Any

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import Counter, Kind, Op
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import MeshSpec
from tests.models.golden.literal_registers import LiteralRegisters

__all__ = ["EAST", "HERE", "NORTH", "SOUTH", "WEST", "LiteralUnit", "onward", "route"]

EAST, NORTH, WEST, SOUTH, HERE = range(5)


def route(here: Node, to: tuple[int, int], sync_class: int) -> int:
    """Return the port by which a message of a class leaves (sections 2 and 3)."""
    east_west = EAST if to[0] > here[0] else WEST if to[0] < here[0] else HERE
    north_south = NORTH if to[1] > here[1] else SOUTH if to[1] < here[1] else HERE
    first, second = (east_west, north_south) if sync_class == 0 else (north_south, east_west)
    return second if first == HERE else first


def onward(here: Node, to: tuple[int, int], sync_class: int, port: int) -> int:
    """Return the port by which a message goes on that has come by a network input (section 2)."""
    straight, line = (port + 2) % 4, 0 if port in (EAST, WEST) else 1
    if to[line] != here[line]:
        return straight
    if line != sync_class:  # it has made its turn
        return HERE
    return route(here, to, sync_class)


class LiteralUnit(LiteralRegisters):
    """One unit; in every cycle call ``take``, ``offer``, then ``edge``."""

    def __init__(self, network: MeshSpec, here: Node) -> None:
        super().__init__(network)
        self.here = here
        self.serial_pointer = 0
        self.turn, self.stays = network.barrier_registers - 1, 0
        self.release: list[tuple[int, int]] = []

    def take(
        self,
        presented: dict[int, tuple[int, int]],
        arrive: dict[int, int],
        request: ConfigRequest | None,
        started: bool,
    ) -> set[int]:
        """Return the ports whose (class, message) is taken; the effects wait for ``edge``."""
        self.begin(request)
        self.became = [0] * len(self.now)
        self.new_release: list[tuple[int, int]] = []
        taken = self.messages(
            {p: (c, self.layout.sync.unpack(m)) for p, (c, m) in presented.items()}
        )
        self.fire()
        for number, data in arrive.items():
            self.arrive(number, data, started)
        return taken

    def match(self, gid: int) -> int | None:
        for number, register in enumerate(self.now):
            if register["valid"] and number != self.written and register["gid"] == gid:
                return number
        return None

    def messages(self, presented: dict[int, tuple[int, dict[str, int]]]) -> set[int]:
        """Section 4.2, and 4.3 where operations are combined one a cycle."""
        serial = self.network.operations == "all"
        taken: set[int] = set()
        reduces: dict[int, int] = {}
        distributed: set[int] = set()
        for port in sorted(presented):
            sync_class, message = presented[port]
            number = self.match(message["gid"])
            if number is not None and self.reduce_used(number, port, sync_class, message):
                reduces[port] = number
                if serial:
                    continue
                self.reduce(number, port, message["data"])
            elif (
                number is not None
                and number not in distributed
                and self.distribute_used(number, port, sync_class, message)
            ):
                distributed.add(number)
                self.let_go(number, message["data"])
            else:
                self.events[Counter.STRAY] += 1
            taken.add(port)
        if serial:
            candidates = set(reduces) | {4 + r for r, x in enumerate(self.now) if x["waiting"]}
            size = 4 + len(self.now)
            for step in range(size):
                chosen = (self.serial_pointer + step) % size
                if chosen in candidates:
                    self.serial_pointer = (chosen + 1) % size
                    if chosen < 4:
                        self.reduce(reduces[chosen], chosen, presented[chosen][1]["data"])
                        taken.add(chosen)
                    else:
                        mine = self.new[chosen - 4]
                        self.combine(mine, mine["kept"])
                        mine["waiting"], mine["local"] = 0, 1
                    break
        return taken

    def reduce_used(self, number: int, port: int, sync_class: int, message: dict[str, int]) -> bool:
        now = self.now[number]
        if message["kind"] != Kind.REDUCE or message["epoch"] != now["epoch"] or now["fired"]:
            return False
        return bool(
            now["nodes"][1 + port][2]
            and not now["arrived"] >> port & 1
            and sync_class == (1 if port in (EAST, WEST) else 0)
        )

    def distribute_used(
        self, number: int, port: int, sync_class: int, message: dict[str, int]
    ) -> bool:
        now = self.now[number]
        if message["kind"] != Kind.DISTRIBUTE or message["epoch"] != now["epoch"]:
            return False
        if now["root"] or not now["fired"] or now["pending"] >> 4 & 1:
            return False
        up = route(self.here, now["nodes"][0][:2], now["turn"])
        return bool(sync_class == 1 - now["turn"] and port == up)

    def children(self, register: dict[str, Any]) -> list[int]:
        return [port for port in range(4) if register["nodes"][1 + port][2]]

    def reduce(self, number: int, port: int, data: int) -> None:
        self.new[number]["arrived"] += 1 << port
        self.combine(self.new[number], data)

    def combine(self, register: dict[str, Any], data: int) -> None:
        acc = register["acc"]
        values = [acc | data, acc & data, acc ^ data, max(acc, data), min(acc, data), acc + data]
        register["acc"] = values[register["op"]] % (1 << self.network.data_bits)

    def let_go(self, number: int, result: int) -> None:
        """Do what a used DISTRIBUTE does, and a root that fires."""
        new = self.new[number]
        self.new_release.append((number, result))
        new.update(result=result, done=1, arrived=0, local=0, fired=0)
        new["acc"] = Op(new["op"]).identity(self.network.data_bits)
        self.became[number] |= sum(1 << port for port in self.children(new))

    def fire(self) -> None:
        for number, (now, new) in enumerate(zip(self.now, self.new, strict=True)):
            if not now["valid"] or number == self.written or now["fired"] or not new["local"]:
                continue
            children = self.children(now)
            complete = all(new["arrived"] >> port & 1 for port in children)
            if complete and now["root"]:
                self.let_go(number, new["acc"])
            elif complete:
                new["fired"] = 1
                self.became[number] |= 1 << 4

    def arrive(self, number: int, data: int, started: bool) -> None:
        now, new = self.now[number], self.new[number]
        ready = now["valid"] and started
        if not ready or now["local"] or now["waiting"] or number == self.written:
            self.events[Counter.REFUSED_ARRIVE] += 1
            return
        new["done"] = 0
        if self.network.operations == "all":
            new["waiting"], new["kept"] = 1, data
        else:
            new["local"] = 1
            self.combine(new, data)

    def offer(self, credits: dict[tuple[int, int], int]) -> dict[int, tuple[int, int, int]]:
        """Return by output port what is offered: class, message, register (section 4.4)."""
        willing = any(self.pending(number) for number in range(len(self.now)))
        while willing and self.stays == 0:
            self.turn = (self.turn + 1) % len(self.now)
            if self.pending(self.turn):
                break
        self.waits = self.pending(self.turn) > 0
        return self.ready_to_send(self.turn, credits)

    def pending(self, number: int) -> int:
        late = self.network.barrier_pipeline == 1
        return int(self.now[number]["pending"] | (0 if late else self.became[number]))

    def ready_to_send(
        self, number: int, credits: dict[tuple[int, int], int]
    ) -> dict[int, tuple[int, int, int]]:
        late = self.network.barrier_pipeline == 1
        state = self.now[number] if late else self.new[number]
        pending = self.pending(number)
        found = {}
        for bit in range(5):
            x, y, _ = state["nodes"][(bit + 1) % 5]
            if bit == 4:
                kind, data, sync_class = Kind.REDUCE, state["acc"], state["turn"]
                port = route(self.here, (x, y), sync_class)
            else:
                kind, data, sync_class = Kind.DISTRIBUTE, state["result"], bit % 2
                port = bit
            if pending >> bit & 1 and credits[port, sync_class] >= 1:
                message = {"kind": kind, "gid": state["gid"], "epoch": state["epoch"], "x": x}
                message |= {"y": y, "turn": sync_class, "data": data}
                found[port] = (sync_class, self.layout.sync.pack(message), number * 5 + bit)
        return found

    def edge(self, sent: list[int], overflow: int) -> None:
        """End the cycle; ``sent`` are the offers that were taken, register * 5 + bit."""
        self.events[Counter.OVERFLOW] += overflow
        at_once = self.network.barrier_pipeline == 0
        self.stays = self.stays + 1 if self.waits and not sent and self.stays < 14 else 0
        for number, new in enumerate(self.new):
            off = sum(1 << place % 5 for place in sent if place // 5 == number)
            became = self.became[number]
            new["pending"] = new["pending"] & ~off | became & ~(off * at_once)
        self.counters = [min(255, n + e) for n, e in zip(self.counters, self.events, strict=True)]
        self.registers, self.answer = self.new, self.new_answer
        self.release = sorted(self.new_release)
