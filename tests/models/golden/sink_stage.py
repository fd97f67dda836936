"""A set-up sink by itself, against registers that answer as told."""

from dataclasses import dataclass, field

from syncfabric.models.golden.set_up_sink import SetUpSink
from syncfabric.models.golden.set_up_steps import Access, Dialect
from syncfabric.models.messages import CONTROL, REPLY, REQUEST, Answer, Counter, Field, Layout

__all__ = ["TAIL", "Register", "Stage", "Unit", "request"]

FLIT = Layout("flit", (Field("payload", 40, ""), Field("head", 1, ""), Field("tail", 1, "")))
TAIL = 1 << 41
DIALECT = Dialect(
    image={1: 0xFF, 2: 0xF}, control=(1 << CONTROL.width) - 1, state=5, busy=6, command=4
)


@dataclass
class Register:
    valid: bool = False
    gid: int = 0
    manager: int = 0
    freed: bool = False


@dataclass
class Unit:
    living: list[Register] = field(default_factory=lambda: [Register(), Register()])

    @property
    def holders(self) -> list[Register]:
        return self.living

    counted: list[Counter] = field(default_factory=list)

    def count(self, counter: Counter) -> None:
        self.counted.append(counter)


@dataclass
class Stage:
    """A sink with two managers; ``answers`` of accesses by address, else (False, 0)."""

    unit: Unit = field(default_factory=Unit)
    answers: dict[tuple[int, bool], tuple[bool, int]] = field(default_factory=dict)
    accesses: list[tuple[int, int, bool, int]] = field(default_factory=list)
    now: int = 0
    replies: list[tuple[int, list[int]]] = field(default_factory=list)
    takes: int = 2

    def __post_init__(self) -> None:
        self.sink = SetUpSink(self.unit, DIALECT, 5000, [100, 200], FLIT)
        self.left = 0

    def does(self, access: Access) -> tuple[bool, int]:
        self.accesses.append((self.now, *access))
        return self.answers.get(access[:2], (False, 0))

    def cycle(self, flit: int | None = None, free: bool = True) -> None:
        self.sink.begin(self.now, free, self.does)
        if flit is not None:
            assert self.sink.listening
            self.sink.accept(flit)
        if self.left:
            self.left -= 1
            if not self.left:
                self.sink.replied()
        offered = self.sink.end()
        self.now += 1
        if offered:
            self.replies.append((self.now, offered))
            self.left = self.takes

    def packet(self, *words: int) -> int:
        """Hand a packet in; return the cycle of its tail."""
        for word in words[:-1]:
            self.cycle(word)
        self.cycle(words[-1] | TAIL)
        return self.now - 1

    def wait(self, most: int = 60) -> None:
        for _ in range(most):
            self.cycle()

    def codes(self) -> list[Answer]:
        return [Answer(REPLY.unpack(flits[1])["code"]) for _, flits in self.replies]


def request(operation: int, **fields: int) -> int:
    return REQUEST.pack({"operation": operation, "gid": 7, "sequence": 33, **fields})
