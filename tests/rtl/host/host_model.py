"""The host's registers by docs/microarchitecture-host.md, cycle by cycle."""

from dataclasses import dataclass, field

from syncfabric.models.messages.host import HostShape
from tests.rtl.host.meter_model import Meter

NET = ("released", "result", "ready", "done", "broken", "config_ready", "config_error")
NET_PORTS = (*NET, "config_rdata")
COUNTS = ("created", "lost", "received", "wrong", "latency")
STREAM_COUNTS = ("packets", "checksum", "first", "last")
REFUSED: tuple[int, bool] = (0, True)


def piece(word: int, index: int, width: int) -> int:
    """Return a run of bits of a packed vector."""
    return word >> index * width & (1 << width) - 1


@dataclass(frozen=True)
class Request:
    """What is on the host bus."""

    address: int
    write: bool = False
    data: int = 0


@dataclass
class HostModel:
    """State, and in ``out`` what is visible in the cycle to come."""

    shape: HostShape
    cycle: int = 0
    config_node: int = 0
    limit: int = 1_000_000
    high: int = 0
    answer: int = 0
    since: int | None = None
    irq: int = 0
    irq_node: int = 0
    rate: int = 0
    seed: int = 0
    enable: int = 0
    place: int = 0
    operand: int = 0
    begun: int = 0
    phase: str = "idle"
    out: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shape = self.shape
        self.masks = [0] * shape.meters
        self.meters = [Meter() for _ in range(shape.meters)]
        self.enabled = [0] * shape.nodes
        self.data = [[0] * shape.registers for _ in range(shape.nodes)]
        self.before = dict.fromkeys((*NET_PORTS, "arrive"), 0)
        self.show({})

    def show(self, new: dict[str, int]) -> None:
        """Make what is visible next: levels, and the pulses of ``new``."""
        shape = self.shape
        pulses = ("ready", "rdata", "error", "later", "arrive", "config_valid")
        self.out = dict.fromkeys([*pulses, *(["last"] if shape.last else [])], 0) | {
            "irq": self.irq,
            "config_node": self.config_node,
            "data": sum(
                word << (n * shape.registers + r) * shape.data_bits
                for n, words in enumerate(self.data)
                for r, word in enumerate(words)
            ),
        }
        if shape.traffic:
            self.out |= {"rate": self.rate, "seed": self.seed, "enable": self.enable, "load": 0}
        if shape.streams:
            self.out["put"] = 0
        self.out |= new

    def step(self, request: Request | None, net: dict[str, int]) -> None:
        """Take one cycle, in which ``request`` is on the bus and ``net`` on the network's ports."""
        arrive, new = self.out["arrive"], dict[str, int]()
        asks = [
            piece(net["done"], n, self.shape.registers) & self.enabled[n]
            for n in range(self.shape.nodes)
        ]
        self.cleared: set[int] = set()
        self.forgotten: set[int] = set()
        masks = list(self.masks)
        if self.phase == "act":
            assert request
            self.counts = [net[name] for name in COUNTS] if self.shape.traffic else []
            new = self.act(request)
        elif self.phase == "config":
            if net["config_ready"]:
                assert request
                bad = net["config_error"]
                value = 0 if bad or request.write else net["config_rdata"]
                new, self.phase = {"ready": 1, "error": bad, "rdata": value}, "answer"
                self.answer = net["config_rdata"]
        elif self.phase == "answer":
            self.phase = "idle"
        elif request:
            self.phase, self.sample = "act", dict(net)
        for i, meter in enumerate(self.meters):
            seen = self.before
            meter.step(masks[i], seen["arrive"], seen["ready"], seen["released"], seen["broken"])
            if i in self.cleared:
                meter.clear()
            if i in self.forgotten:
                meter.forget()
        self.before = dict(net) | {"arrive": arrive}
        if self.out.get("put"):
            self.begun = net["cycle"]
        self.irq = int(any(asks))
        self.irq_node = next((n for n, ask in enumerate(asks) if ask), 0)
        self.cycle += 1
        self.show(new)

    def act(self, request: Request) -> dict[str, int]:
        """Return what a request makes visible in the next cycle."""
        address, self.phase = request.address, "answer"
        if 0x1000 <= address < 0x1000 + (1 << self.shape.address_bits):
            self.phase = "config"
            return {
                "config_valid": 1,
                "config_address": address - 0x1000,
                "config_write": int(request.write),
                "config_data": request.data,
            }
        self.pulses: dict[str, int] = {}
        answer: tuple[int, bool] | None
        if address < 13:
            answer = self.of_all(request)
        elif 16 <= address < 24 and self.shape.traffic:
            answer = self.of_traffic(request)
        elif 32 <= address < 40 and self.shape.streams:
            answer = self.of_streams(request)
        elif 0x10000 <= address < 0x10000 + 0x1000 * self.shape.meters:
            answer = self.of_meter((address - 0x10000) // 0x1000, address & 0xFFF, request)
        elif 0x20000 <= address < 0x20000 + 0x80 * self.shape.nodes:
            answer = self.of_node((address - 0x20000) // 0x80, address & 0x7F, request)
        else:
            answer = REFUSED
        if answer is None:
            return {"ready": 1, "later": 1}
        value, error = answer
        return {"ready": 1, "rdata": value, "error": int(error)} | self.pulses

    def of_all(self, request: Request) -> tuple[int, bool]:
        """Return what comes of a global word: value, and whether it is refused."""
        shape, word, data = self.shape, request.address, request.data
        if not request.write:
            said = shape.registers | shape.data_bits << 8 | shape.meters << 16
            said |= shape.last << 24 | shape.broken << 25 | shape.traffic << 26
            said |= shape.streams << 27
            held = dict(enumerate([0x53464142, 3, shape.nodes, said]))
            held |= {5: self.cycle & 0xFFFFFFFF, 6: self.high, 7: self.config_node, 8: self.limit}
            held |= {10: self.irq | self.irq_node << 1, 12: self.answer}
            if word == 5:
                self.high = self.cycle >> 32
            return (held[word], False) if word in held else REFUSED
        if word == 7 and data < shape.targets:
            self.config_node = data
        elif word == 8:
            self.limit = data
        elif word == 9 and data < shape.meters:
            self.pulses["arrive"] = self.masks[data]
        elif word == 11:
            self.cleared = set(range(shape.meters))
        else:
            return REFUSED
        return 0, False

    def of_traffic(self, request: Request) -> tuple[int, bool]:
        """Return what comes of a word of the traffic."""
        word, data = request.address - 16, request.data
        if not request.write:
            return [self.rate, self.seed, self.enable, *self.counts][word], False
        if word == 0:
            self.rate = data & 0xFFFFFF
        elif word == 1:
            self.seed = data
        elif word == 2:
            self.enable, self.pulses["load"] = data & 1, data >> 1 & 1
        else:
            return REFUSED
        return 0, False

    def of_streams(self, request: Request) -> tuple[int, bool]:
        """Return what comes of a word of streams."""
        word, data = request.address - 32, request.data
        node, channel = self.place & 0xFFFF, self.place >> 16
        if not request.write:
            at = node * self.shape.streams + channel
            counts = [piece(self.sample[name], at, 32) for name in STREAM_COUNTS]
            held = [self.place, self.operand, None, self.begun, *counts][word]
            return REFUSED if held is None else (held, False)
        if word == 0 and data & 0xFFFF < self.shape.nodes and data >> 16 & 3 < self.shape.streams:
            self.place = data & 0x3FFFF
        elif word == 1:
            self.operand = data
        elif word == 2:
            # Seed, words, no bytes, the head's data, channel.
            command = self.operand | (data & 0x1FFF) << 32 | (data >> 13 & 0x7F) << 51
            self.pulses = {"put": 1 << node, "command": command | channel << 58}
        else:
            return REFUSED
        return 0, False

    def of_meter(self, m: int, word: int, request: Request) -> tuple[int, bool]:
        """Return what comes of a meter's word."""
        meter, mask_word = self.meters[m], word - 0x800
        is_mask = 0 <= mask_word < (self.shape.width + 31) // 32
        if request.write:
            if word == 4:
                self.cleared = {m}
            elif is_mask:
                low = 32 * mask_word
                kept = self.masks[m] & ~(0xFFFFFFFF << low)
                self.masks[m] = (kept | request.data << low) & (1 << self.shape.width) - 1
                self.forgotten = {m}
            else:
                return REFUSED
            return 0, False
        if is_mask:
            return piece(self.masks[m], mask_word, 32), False
        counts = dict(enumerate((meter.episodes, meter.last, meter.least, meter.greatest)))
        counts |= dict(enumerate(meter.histogram, start=8))
        return (counts[word], False) if word in counts else REFUSED

    def of_node(self, n: int, word: int, request: Request) -> tuple[int, bool] | None:
        """Return what comes of a node's word; None if it is to be asked again."""
        shape, data = self.shape, request.data
        registers, kind, r = shape.registers, word // 32, word % 32
        ready, done, broken = (
            piece(self.sample[name], n, registers) for name in ("ready", "done", "broken")
        )
        if kind and r >= registers:
            return REFUSED
        if request.write:
            return self.write_node(n, word, ready, data)
        if kind == 0:
            held = {2: ready, 3: done, 4: broken, 5: self.enabled[n]}
            return (held[word], False) if word in held else REFUSED
        result = piece(self.sample["result"], n * registers + r, shape.data_bits)
        if kind == 1:
            return (self.data[n][r], False) if shape.data_bits else REFUSED
        if kind == 2:
            return result, False
        if done >> r & 1:
            self.since = None
            return REFUSED if broken >> r & 1 else (result, False)
        if self.since is None:
            self.since = self.cycle
        elif self.cycle - self.since > self.limit:
            self.since = None
            return REFUSED
        return None

    def write_node(self, n: int, word: int, ready: int, data: int) -> tuple[int, bool]:
        """Write a node's word."""
        shape = self.shape
        if word == 0 or (word == 1 and shape.last):
            if data & ~ready:
                return REFUSED
            self.pulses["arrive"] = data << n * shape.registers
            if word == 1:
                self.pulses["last"] = self.pulses["arrive"]
        elif word == 5:
            self.enabled[n] = data & (1 << shape.registers) - 1
        elif word // 32 == 1 and shape.data_bits:
            self.data[n][word % 32] = data & (1 << shape.data_bits) - 1
        else:
            return REFUSED
        return 0, False
