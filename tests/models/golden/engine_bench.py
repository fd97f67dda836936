"""One engine, cycle by cycle: what is on its ports is kept by cycle."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from syncfabric.models.golden.engine import Answer, Engine, Freed, Message, Outputs, Request
from syncfabric.models.layout.engine import COMMIT, WORD_BITS, Code, EngineLayout

NO_NAMES: Mapping[int, tuple[int, int]] = {}


class Bench:
    """An engine, after its sweep.

    Parameters
    ----------
    links, groups, stages, watchdog : int
    swept : bool
        Wait until the sweep is over.
    """

    def __init__(
        self,
        links: int = 2,
        *,
        own: bool = True,
        groups: int = 4,
        bits: int = 4,
        stages: int = 1,
        watchdog: int = 0,
        swept: bool = True,
        counters: bool = True,
        read_back: bool = True,
        shared: bool = False,
    ) -> None:
        operations = "all" if bits else "none"
        self.layout = EngineLayout(links, own, groups, bits, operations)
        self.engine = Engine(
            self.layout,
            stages=stages,
            watchdog=watchdog,
            counters=counters,
            read_back=read_back,
            shared=shared,
        )
        self.process = links
        self.log: list[Outputs] = []
        if swept:
            self.run(3 * self.layout.entries + 4)

    @property
    def now(self) -> int:
        return len(self.log)

    def step(
        self,
        inputs: Mapping[int, Message] | None = None,
        arrive: Message | None = None,
        request: Request | None = None,
        *,
        hold: bool = False,
    ) -> Outputs:
        self.log.append(self.engine.step(inputs, arrive, request, hold=hold))
        return self.log[-1]

    def run(self, cycles: int) -> None:
        for _ in range(cycles):
            self.step()

    def access(self, request: Request) -> Answer:
        """Make a request, and wait for the answer."""
        for _ in range(1000):
            answer = self.step(request=request).answer
            if answer:
                return answer
        raise AssertionError("no answer")

    def commit(self, code: Code, entry: int = 0, epoch: int = 0, word: int = 0) -> Answer:
        fields = {"code": code, "entry": entry, "epoch": epoch, "word": word}
        return self.access(Request(True, 0, COMMIT.pack(fields)))

    def set_up(
        self,
        children: Collection[int],
        parent: int | None = None,
        *,
        entry: int = 0,
        epoch: int = 0,
        op: int = 0,
        names: Mapping[int, tuple[int, int]] = NO_NAMES,
    ) -> Answer:
        """Write an image, and SETUP; ``epoch`` is the one before."""
        fields = {"children": sum(1 << p for p in children), "op": op}
        fields["parent"] = 0 if parent is None else 1 << parent
        for p, (far, life) in names.items():
            fields |= {f"entry_{p}": far, f"epoch_{p}": life}
        image = self.layout.image.pack(fields)
        for k in range(self.layout.image_words):
            self.access(Request(True, 1 + k, image >> WORD_BITS * k & (1 << WORD_BITS) - 1))
        return self.commit(Code.SETUP, entry, epoch)

    def root(
        self,
        children: Collection[int],
        *,
        entry: int = 0,
        op: int = 0,
        names: Mapping[int, tuple[int, int]] = NO_NAMES,
    ) -> None:
        """Set a root up, and start it: its children are awaited."""
        assert not self.set_up(children, entry=entry, op=op, names=names).error
        assert not self.commit(Code.GO, entry, 1).error
        self.run(8)

    def count(self, counter: int) -> int:
        self.run(3)
        return self.access(Request(False, 16 + counter)).rdata

    def status(self, entry: int = 0) -> dict[str, int]:
        answer = self.commit(Code.READ, entry)
        return self.layout.status.unpack(answer.rdata & answer.meaning)

    def sent(self, since: int, link: int) -> list[tuple[int, Message]]:
        """Messages on a link, with their cycles from one on."""
        log = enumerate(self.log[since:])
        return [(cycle, out.links[link]) for cycle, out in log if link in out.links]

    def released(self, since: int) -> list[tuple[int, Message]]:
        log = enumerate(self.log[since:])
        return [(cycle, out.release) for cycle, out in log if out.release]

    def freed(self, since: int) -> list[tuple[int, Freed]]:
        log = enumerate(self.log[since:])
        return [(cycle, out.freed) for cycle, out in log if out.freed is not None]
