"""Random lives for spilled groups: who asks for what, and what the neighbours and process send."""

import random
from collections import deque

from syncfabric.models.messages import CONTROL, NODE_WORD, PARENT_WORD, TREE, Command, Kind, Op
from tests.rtl.spill.engine import EngineModel, Inputs, Request
from tests.rtl.spill.entry import Entry, Heard, TreeEntries

__all__ = ["GIDS", "LifeStimuli"]

GIDS = (5, 77, 255)


class Asker:
    """Puts one request after the other, and waits for each answer."""

    def __init__(self) -> None:
        self.plan: deque[Request] = deque()
        self.waits = False


class LifeStimuli:
    """Chooses inputs by looking at the model: most of them useful, some of them not.

    Parameters
    ----------
    rng : random.Random
    model : EngineModel
    """

    def __init__(self, rng: random.Random, model: EngineModel) -> None:
        self.rng, self.model, self.kind = rng, model, model.kind
        self.waiting: dict[int, Heard] = {}
        self.network, self.sink = Asker(), Asker()
        self.offered: Request | None = None  # of the sink: stays until it is answered
        self.granted, self.pace = False, 0.0

    def _image(self, gid: int) -> list[Request]:
        """Return the requests that write a new image."""
        rng, kind = self.rng, self.kind
        words: dict[int, int] = {}
        if isinstance(kind, TreeEntries):
            children = sum(1 << p for p in range(kind.ports) if rng.random() < 0.6)
            parent = 0 if kind.node else rng.randrange(kind.ports + 1)
            words[1] = TREE.pack({"parent": parent, "children": children})
        else:
            for word in kind.image:
                place = {
                    "x": rng.randrange(3),
                    "y": rng.randrange(3),
                    "present": rng.random() < 0.4,
                }
                words[word] = NODE_WORD.pack(place)
            words[1] |= PARENT_WORD.pack({"relay": rng.random() < 0.2})
        control = {
            "valid": 1,
            "root": rng.random() < 0.5,
            "turn": rng.randrange(2),
            "op": rng.randint(0, Op.SUM if kind.spec.operations == "all" else Op.XOR),
            "epoch": rng.randrange(4),
            "gid": gid,
            "manager": rng.randrange(4),
        }
        words[0] = CONTROL.pack(control)
        return [Request(gid, word, True, data) for word, data in words.items()]

    def _next_requests(self, gid: int) -> list[Request]:
        """Return what somebody might want of a group now."""
        rng, command = self.rng, self.kind.command
        if self.model.listed and rng.random() < 0.3:  # a report that comes too late
            return [Request(self.model.listed[0], command, True, Command.KILL)]
        entry, draw = self.model.entries[gid], rng.random()
        if draw < 0.15:
            return [Request(gid, rng.randrange(8), False, 0)]
        if not entry.control["valid"]:
            return self._image(gid)
        if draw < 0.25:
            return [Request(gid, rng.randrange(8), True, rng.choice([0, 1, 2, 3, 1 << 20 | 1]))]
        if draw < 0.4:
            return [Request(gid, 0, True, 0), *self._image(gid)]
        if draw < 0.55:
            return [Request(gid, command, True, Command.KILL)] * rng.choice([1, 2])
        return [Request(gid, command, True, Command.GO)]

    def _ask(self, asker: Asker, chance: float) -> Request | None:
        """Return a request, if its time has come."""
        if asker.waits or self.rng.random() > chance:
            return None
        if not asker.plan:
            asker.plan.extend(self._next_requests(self.rng.choice(GIDS)))
        asker.waits = True
        return asker.plan.popleft()

    def _useful(self, gid: int, entry: Entry, port: int) -> list[Heard]:
        """Return the messages that a group waits for at a port."""
        kind, epoch, found = self.kind, entry.control["epoch"], []
        data = self.rng.getrandbits(self.model.bits)
        for turn in range(2 if kind.turns else 1):
            if kind.counts(entry, port, turn, set()) and (entry.go or entry.fired):
                number = Kind.GO if self.rng.random() < 0.8 else Kind.REDUCE
                found.append(Heard(number, gid, epoch, data, turn))
            if entry.fired and kind.from_parent(entry, port, turn):
                found.append(Heard(Kind.DISTRIBUTE, gid, epoch, data, turn))
            if kind.hears_waves(entry, port, turn):
                if not entry.go:
                    found.append(Heard(Kind.GO, gid, epoch, data, turn))
                if self.rng.random() < 0.05:
                    found.append(Heard(Kind.BROKEN, gid, epoch, data, turn))
        return found

    def _message(self, port: int) -> Heard:
        """Return a message that some group waits for, or with one thing about it wrong."""
        rng = self.rng
        useful = [
            heard
            for gid in GIDS
            if self.model.entries[gid].control["valid"]
            for heard in self._useful(gid, self.model.entries[gid], port)
        ]
        gid = rng.choice(GIDS)
        turn = rng.randrange(2) if self.kind.turns else 0
        data = rng.getrandbits(self.model.bits)
        anything = Heard(
            rng.randrange(4), gid, self.model.entries[gid].control["epoch"], data, turn
        )
        message = rng.choice(useful) if useful and rng.random() < 0.9 else anything
        wrong = rng.random()
        if wrong < 0.03:
            return message._replace(epoch=rng.randrange(4))
        return message._replace(gid=rng.randrange(256)) if wrong < 0.04 else message

    def inputs(self, cycle: int) -> Inputs:
        """Return the inputs of a cycle."""
        rng, model = self.rng, self.model
        if cycle % 64 == 0:
            self.pace = rng.choice([0.01, 0.1, 0.5])
        self.network.waits &= not model.answer.ready
        if model.own_answer.ready:
            self.sink.waits, self.offered = False, None
        found = Inputs(request=self._ask(self.network, 0.1))
        if self.offered is None and self.kind.sink:
            self.offered = self._ask(self.sink, 0.1)
            self.granted = False
        found.access = None if self.granted else self.offered
        for port in range(self.kind.links):
            if port not in self.waiting and rng.random() < 0.3:
                self.waiting[port] = self._message(port)
        found.here = {p: heard for p, heard in self.waiting.items() if rng.random() < 0.9}
        if self.kind.process and model.holding is None and rng.random() < 0.2:
            eager = [g for g in GIDS if model.entries[g].go and not model.entries[g].local]
            gid = rng.choice(eager if eager and rng.random() < 0.9 else [*GIDS, 6])
            found.local = (gid, rng.getrandbits(model.bits), rng.random() < 0.8)
        found.sent = {bit for bit in model.to_send if rng.random() < self.pace}
        found.take_report = model.report is not None and rng.random() < self.pace / 10
        return found
