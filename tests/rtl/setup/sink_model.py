"""A set-up sink, told as a story: one ``yield`` a cycle."""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TypeAlias

from syncfabric.models.messages import CONTROL, REPLY, REQUEST, Answer, Command, Request
from tests.rtl.setup.cases import Case

Outputs: TypeAlias = dict[str, int]


@dataclass
class Inputs:
    """What a sink can see in a cycle."""

    flit: int | None
    granted: bool
    answer: tuple[int, int] | None
    controls: list[int]
    freed: list[bool]
    taken: bool


Story: TypeAlias = Generator[Outputs, Inputs, Inputs]
"""Gets the inputs of a cycle, yields its outputs; returns the inputs of the first cycle after."""


@dataclass
class SinkModel:
    case: Case
    router: int
    slots: dict[int, tuple[int, dict[str, int]]] = field(default_factory=dict)
    chosen: int | None = None
    second: bool = False

    def __post_init__(self) -> None:
        self.story = self._live()
        next(self.story)
        self.last = len(self.case.managers)

    def cycle(self, now: Inputs) -> Outputs:
        """Live through a cycle; return the outputs in it."""
        out: Outputs = {
            "listening": 0, "access__request": 0, "stray": 0, "clear_freed": 0, "reply_valid": 0
        }  # fmt: skip
        before = dict(self.slots)
        if self.chosen is not None:
            to, reply = self.slots[self.chosen]
            payload = REPLY.pack(reply) if self.second else self.case.header(to)
            flit = self.case.flit(payload, head=not self.second, tail=self.second)
            out |= {"reply_valid": 1, "reply_flit": flit, "reply_manager": to}
        out |= self.story.send(now)
        if self.chosen is None:
            self.chosen = min(before, default=None)
        elif now.taken:
            if self.second:
                del self.slots[self.chosen]
                self.chosen = None
            self.second = not self.second
        return out

    def _live(self) -> Generator[Outputs, Inputs, None]:
        now = yield {}
        while True:
            flits: list[dict[str, int]] = []
            while not flits or not flits[-1]["tail"]:
                out: Outputs = {"listening": 1}
                if now.flit is not None:
                    flits.append(self.case.spec.layout.flit.unpack(now.flit))
                elif not flits:
                    out |= self._report(now)
                now = yield out
            now = yield from self._serve(now, [flit["payload"] for flit in flits])

    def _report(self, now: Inputs) -> Outputs:
        """Let the slot of FREED take the first that has something to say."""
        if self.last in self.slots:
            return {}
        out: Outputs = {"clear_freed": 0}
        if any(now.freed):
            r = now.freed.index(True)
            known = CONTROL.unpack(now.controls[r])
            gid, manager = known["gid"], known["manager"]
            out = {"clear_freed": 1 << r}
        else:
            return out
        if manager >= len(self.case.managers):
            return out | {"stray": 1}
        word = {"code": Answer.FREED, "gid": gid, "sender": self.router}
        self.slots[self.last] = manager, word
        return out

    def _serve(self, now: Inputs, words: list[int]) -> Story:
        if len(words) < 2:
            return (yield {"stray": 1})
        asked = REQUEST.unpack(words[1] % (1 << REQUEST.width))
        manager = asked["manager"]
        if manager >= len(self.case.managers) or manager in self.slots:
            return (yield {"stray": 1})
        code, now = yield from self._obey(now, asked, words)
        word = {"code": code, **{name: asked[name] for name in ("gid", "sequence", "tag")}}
        self.slots[manager] = manager, word | {"sender": self.router}
        return (yield {})

    def _obey(
        self, now: Inputs, asked: dict[str, int], words: list[int]
    ) -> Generator[Outputs, Inputs, tuple[Answer, Inputs]]:
        """Do what is asked, from the cycle after the tail to that before the answer."""
        case, gid = self.case, asked["gid"]
        images = [word & kept for word, kept in zip(words[2:], case.kept, strict=False)]
        right = 2 + len(case.words) if asked["operation"] == Request.SETUP else 2
        known = [CONTROL.unpack(word) for word in now.controls]
        at = [r for r, one in enumerate(known) if one["valid"] and one["gid"] == gid]
        free = [r for r, one in enumerate(known) if not one["valid"]]
        now = yield {}
        if asked["operation"] == 3 or len(words) != right:
            return Answer.BAD, now
        setup = asked["operation"] == Request.SETUP
        base, found = 8 * at[0] if at else 0, bool(at)
        if not found:
            if not setup:
                return Answer.OK, now
            if free:
                base = 8 * free[0]
            else:
                return Answer.FULL, now
        fields = {name: asked[name] for name in ("root", "op", "epoch", "gid", "manager")}
        fields |= {"valid": 1, "turn": asked["turn"] if case.turns else 0}
        image = [*zip(case.words, images, strict=False), (0, CONTROL.pack(fields))]
        if setup and found:
            same = True
            for word, wanted in image:
                (_, held), now = yield from self._access(now, base + word)
                same &= held == wanted
            (_, state), now = yield from self._access(now, base + case.state)
            if not same or any(state >> bit & 1 for bit in case.busy):
                return Answer.EXISTS, now
        elif setup:
            for word, wanted in image:
                (error, _), now = yield from self._access(now, base + word, wanted)
                if error:
                    return Answer.BAD, now
        if setup:
            error = 0
            if asked["fire"]:
                (error, _), now = yield from self._access(now, base + case.command, Command.GO)
            return (Answer.EXISTS if found else Answer.BAD) if error else Answer.OK, now
        (_, held), now = yield from self._access(now, base)
        if CONTROL.unpack(held)["manager"] != asked["manager"]:
            return Answer.DENIED, now
        if asked["operation"] == Request.KILL:
            _, now = yield from self._access(now, base + case.command, Command.KILL)
            return Answer.OK, now
        (error, _), now = yield from self._access(now, base, 0)
        return Answer.BUSY if error else Answer.OK, now

    def _access(
        self, now: Inputs, address: int, value: int | None = None
    ) -> Generator[Outputs, Inputs, tuple[tuple[int, int], Inputs]]:
        """Ask until it is granted, then wait for the answer."""
        out = {"access__request": 1, "access__address": address, "access__write": value is not None}
        if value is not None:
            out["access__data"] = value
        granted = False
        while not granted:
            granted = now.granted
            now = yield out
        while now.answer is None:
            now = yield {}
        answer = now.answer
        return answer, (yield {})
