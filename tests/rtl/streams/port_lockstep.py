"""The golden streams of a process's ports in a bench, cycle by cycle."""

import random
from collections import Counter

from syncfabric.models.golden.record import Beat
from syncfabric.models.golden.streams import ProcessStreams
from syncfabric.models.layout.streams import StreamLayout
from tests.rtl.engine.lockstep import Word, differences
from tests.rtl.streams.stimuli import Neighbours


class _Process:
    """Draws beats of packets of all channels, mixed; now and then with an odd ``tkeep``."""

    def __init__(self, layout: StreamLayout, rng: random.Random) -> None:
        self._layout, self._rng = layout, rng
        self._left = [0] * layout.channels
        self.beat: Beat | None = None

    def draw(self) -> None:
        """Offer a beat, if none is on offer."""
        rng, layout = self._rng, self._layout
        if self.beat or rng.random() < 0.3:
            return
        c, every = rng.randrange(layout.channels), (1 << layout.bits // 8) - 1
        if not self._left[c]:
            self._left[c] = rng.choice((1, 1, 2, rng.randrange(1, 30)))
            if rng.random() < 0.2:
                self._left[c] = 0
                self.beat = Beat(rng.getrandbits(layout.bits), 0, True, c, rng.getrandbits(7))
                return
        self._left[c] -= 1
        last = not self._left[c]
        keep = every >> rng.randrange(layout.bits // 8) if last and rng.random() < 0.5 else every
        if rng.random() < 0.05:
            keep = rng.getrandbits(layout.bits // 8)
        self.beat = Beat(rng.getrandbits(layout.bits), keep, last, c, rng.getrandbits(7))


class ProcessLockstep:
    """The golden port in a bench, cycle by cycle."""

    def __init__(self, layout: StreamLayout, rng: random.Random) -> None:
        self.shape = self.layout = layout
        self.rng, self.seen = rng, Counter[str]()
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        layout, rng = self.layout, self.rng
        self.model, self._process = ProcessStreams(layout), _Process(layout, rng)
        self._near = [Neighbours(layout, rng, 0.0) for _ in range(layout.channels)]
        self._ready = set[int]()
        self._fault = 0
        self._speed = 1.0
        self._busy, self._late = rng.choice((0.1, 0.5, 1.0)) if layout.shared else 0.0, False

    def step(self) -> tuple[dict[str, int], dict[str, Word]]:
        """Go through a cycle; return what is driven, and what is expected."""
        layout, rng, model, process = self.layout, self.rng, self.model, self._process
        for c, near in enumerate(self._near):
            if rng.random() < (0.004 if c in self._ready else 0.05):
                self._ready ^= {c}
                near.hurry()
            if rng.random() < 0.1:
                near.begin(frozenset((0,)), frozenset())
        if rng.random() < 0.01:
            self._speed = rng.choice((1.0, 0.5, 0.05))
        process.draw()
        offered, accepts = process.beat, rng.random() < self._speed
        shown = self._shown()
        word = None
        for c in rng.sample(range(layout.channels), layout.channels):
            for p, sent in self._near[c].sends().items():
                if word is None:
                    word = c, sent
                    self._near[c].observe(p)
                else:
                    self._near[c].keep(p, sent)
        credits = [c for c, near in enumerate(self._near) if near.credits()]
        pins = {
            "opens": sum(1 << c for c in self._ready),
            "send__credit": sum(1 << c for c in credits),
            "receive__valid": 1 << word[0] if word else 0,
            "receive__word": word[1] if word else 0,
            "m_axis__tready": accepts,
            "s_axis__tvalid": offered is not None,
        }
        shown["send__fault"] = Word(self._fault)
        self._fault = pins["receive__fault"] = rng.getrandbits(layout.channels)
        if offered:
            for name, value in zip(("data", "keep", "last", "id", "user"), offered, strict=True):
                pins[f"s_axis__t{name}"] = value
        model.step(self._ready, offered, word, credits, accepts=accepts, late=self._late)
        if layout.process_shares:
            self._late = pins["late"] = rng.random() < self._busy
        if offered:
            shown["s_axis__tready"] = Word(model.accepted)
            self.seen["accepted"] += model.accepted
            self.seen["stalled"] += not model.accepted
        if model.accepted:
            process.beat = None
        return pins, shown

    def _shown(self) -> dict[str, Word]:
        """Return what the outputs show in this cycle, and let the neighbour see it."""
        model, beat = self.model, self.model.beat
        shown = {"m_axis__tvalid": Word(beat is not None), "overflows": Word(0)}
        if beat:
            mask = sum(0xFF << 8 * b for b in range(self.layout.bits // 8) if beat.keep >> b & 1)
            shown["m_axis__tdata"] = Word(beat.data, mask)
            for name, value in zip(("keep", "last", "id", "user"), beat[1:], strict=True):
                shown[f"m_axis__t{name}"] = Word(value)
            self.seen["ended" if beat.user else "beats"] += 1
        valid = 0
        if model.sends:
            c, word = model.sends
            valid = 1 << c
            shown["send__word"] = Word(word)
            self._near[c].hears(0)
        shown["send__valid"] = Word(valid)
        shown["receive__credit"] = Word(sum(1 << c for c in model.freed))
        for c in model.freed:
            self._near[c].freed(0)
        return shown

    def differences(self, expected: dict[str, Word], seen: dict[str, int]) -> list[str]:
        """Return the output pins that show something else."""
        return differences(expected, seen)
