"""The golden streams of a router in a bench, cycle by cycle."""

import random
from collections import Counter

from syncfabric.models.golden.slots import SlotState
from syncfabric.models.golden.streams import RouterStreams
from syncfabric.models.layout.streams import StreamLayout
from tests.rtl.engine.lockstep import Word, differences
from tests.rtl.streams.stimuli import Neighbours

_ODDS = (0.0, 0.0, 0.02, 0.3)
_NOTHING = frozenset[int]()


class _Slot:
    """A slot that is set up, started and ended at any time."""

    def __init__(self, layout: StreamLayout, rng: random.Random) -> None:
        self._layout, self._rng, self._left = layout, rng, 0
        self.alive = self.goes = False
        self.children, self.parent = _NOTHING, _NOTHING

    def draw(self, *, waits: bool, breaks: bool) -> bool:
        """Go on to this cycle; return whether it has been set up for it."""
        rng, layout = self._rng, self._layout
        self._left -= 1
        self.goes = self.alive and (self.goes or rng.random() < 0.2) and rng.random() < 0.5
        if self.alive:
            self.alive = self._left > 0 and not breaks
            self.goes &= self.alive
            return False
        if waits or rng.random() < 0.8:
            return False
        parent = rng.choice([None, *range(layout.links)])
        others = [p for p in range(layout.ports) if p != parent]
        self.children = frozenset(rng.sample(others, rng.randrange(1, len(others) + 1)))
        self.parent = _NOTHING if parent is None else frozenset((parent,))
        self.alive, self._left = True, rng.choice((5, 60, 400, 1500))
        return True

    @property
    def state(self) -> SlotState:
        """What streams see of it."""
        return SlotState(self.alive, self.goes, self.children, self.parent)


class StreamLockstep:
    """Streams of a router among neighbours that mostly keep to the rules.

    Parameters
    ----------
    layout : StreamLayout
    rng : random.Random
    """

    def __init__(self, layout: StreamLayout, rng: random.Random) -> None:
        self.shape = self.layout = layout
        self.rng = rng
        self.seen = Counter[str]()
        self.reset()

    def reset(self) -> None:
        """Begin anew, with the last cycle of reset: nothing comes yet."""
        layout, rng = self.layout, self.rng
        self.model, self._clear = RouterStreams(layout), True
        self._slots = [_Slot(layout, rng) for _ in range(layout.channels)]
        self._near = [Neighbours(layout, rng, rng.choice(_ODDS)) for _ in self._slots]
        self._waits: list[bool] = [False] * layout.channels
        self._breaks = list(self._waits)
        self._busy, self._late = rng.choice((0.1, 0.5, 1.0)) if layout.shared else 0.0, False

    def step(self) -> tuple[dict[str, int], dict[str, Word]]:
        """Go through a cycle; return what is driven, and what is expected."""
        layout, rng, model = self.layout, self.rng, self.model
        for c, (slot, near) in enumerate(zip(self._slots, self._near, strict=True)):
            if slot.draw(waits=self._waits[c], breaks=self._breaks[c]):
                near.forget()
                near.hurry()
            if slot.alive and rng.random() < 0.2:
                near.begin(slot.children, slot.parent)
        states = [slot.state for slot in self._slots]
        failed = model.failed(states)
        shown = self._shown(states, failed)
        words = self._words()
        credits = [(p, c) for c, near in enumerate(self._near) for p in near.credits()]
        faults = [
            (p, c)
            for c in range(layout.channels)
            for p in range(layout.links)
            if rng.random() < 0.001
        ]
        visited = rng.random() < 0.01
        pins = self._pins(states, words, credits, faults)
        pins["visit"], pins["clear"], self._clear = visited, self._clear, False
        model.step(states, words, credits, faults, visited=visited, late=self._late)
        if layout.shared:
            self._late = pins["late"] = rng.random() < self._busy
            self.seen["late"] += self._late
        self._waits = [model.holds(c) for c in range(layout.channels)]
        # A root that fails ends; others are ended by their manager.
        self._breaks = [
            c in failed and (not states[c].parent or rng.random() < 0.05)
            for c in range(layout.channels)
        ]
        shown["waits"] = Word(sum(self._waits[c] << c for c in range(layout.channels)))
        shown["overflows"] = Word(model.events > 0)
        self.seen["overflows"] += model.events
        return pins, shown

    def _words(self) -> dict[int, tuple[int, int]]:
        """Return what comes: one channel's word a port."""
        words: dict[int, tuple[int, int]] = {}
        if self._clear:
            return words
        order = list(enumerate(self._near))
        self.rng.shuffle(order)
        for c, near in order:
            for p, word in near.sends().items():
                if p in words:
                    near.keep(p, word)
                else:
                    words[p] = c, word
                    near.observe(p)
        return words

    def _shown(self, states: list[SlotState], failed: list[int]) -> dict[str, Word]:
        """Return what the outputs show in this cycle, and let the neighbours see it."""
        layout, model, shown = self.layout, self.model, dict[str, Word]()
        for p in range(layout.ports):
            valid = 0
            if p in model.sends:
                c, word = model.sends[p]
                valid = 1 << c
                shown[f"out_{p}__word"] = Word(word)
                self._near[c].hears(p)
                self.seen["words"] += 1
                self.seen["copies" if p not in states[c].parent else "results"] += 1
            shown[f"out_{p}__valid"] = Word(valid)
            above = [c for c in failed if p in states[c].parent]
            shown[f"out_{p}__fault"] = Word(sum(1 << c for c in above))
            freed = [c for q, c in model.freed if q == p]
            shown[f"in_{p}__credit"] = Word(sum(1 << c for c in freed))
            for c in freed:
                self._near[c].freed(p)
        roots = [c for c in failed if not states[c].parent]
        shown["breaks"] = Word(sum(1 << c for c in roots))
        self.seen["failed"] += len(failed)
        self.seen["broken"] += len(roots)
        return shown

    def _pins(
        self,
        states: list[SlotState],
        words: dict[int, tuple[int, int]],
        credits: list[tuple[int, int]],
        faults: list[tuple[int, int]],
    ) -> dict[str, int]:
        """Return the input pins."""
        pins: dict[str, int] = {}
        for p in range(self.layout.ports):
            c, word = words.get(p, (-1, 0))
            pins[f"in_{p}__valid"] = 1 << c if c >= 0 else 0
            pins[f"in_{p}__word"] = word
            pins[f"in_{p}__fault"] = sum(1 << d for q, d in faults if q == p)
            pins[f"out_{p}__credit"] = sum(1 << d for q, d in credits if q == p)
        for c, state in enumerate(states):
            pins[f"alive_{c}"], pins[f"starts_{c}"] = state.alive, state.goes
            pins[f"children_{c}"] = sum(1 << p for p in state.children)
            pins[f"parent_{c}"] = sum(1 << p for p in state.parent)
        return pins

    def differences(self, expected: dict[str, Word], seen: dict[str, int]) -> list[str]:
        """Return the output pins that show something else."""
        return differences(expected, seen)
