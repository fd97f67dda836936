"""Neighbours, a process and software around a unit: as they should be, and now and then not."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from syncfabric.models.networks.wires import WirePlane
from tests.rtl.wires.model import PROCESS, Asked, Link, UnitModel

__all__ = ["Cycle", "live"]

INDEX = 2


@dataclass(frozen=True)
class Cycle:
    """What happens to a unit in a cycle."""

    links: list[Link]
    arrive: int
    data: list[int]
    asked: Asked | None
    stranger: bool
    beside: tuple[int, int, int] = (0, 0, 0)
    """Overflows, strays and refused writes of what is placed beside the unit."""

    def inputs(self, plane: WirePlane, *, process: bool) -> dict[str, int]:
        """Return the same as a component's inputs; a stranger's request is for another unit."""
        slots, bits, named = plane.slots, plane.data_bits, {}
        for p, link in enumerate(self.links):
            named[f"in_{p}"] = link.word(plane)
        if process:
            data = sum(word << bits * r for r, word in enumerate(self.data))
            named |= {"arrive": self.arrive, "data": data}
        asked = self.asked or Asked(0, False)
        named |= {
            "config__valid": self.asked is not None or self.stranger,
            "config__node": INDEX + self.stranger,
            "config__address": asked.address,
            "config__write": asked.write or self.stranger,
            "config__data": asked.data,
        }
        overflows, strays, refused = self.beside
        named |= {"overflows": overflows, "strays": strays, "refused_write": refused}
        assert slots == len(self.data)
        return {name: int(value) for name, value in named.items()}


def live(model: UnitModel, rng: random.Random, calm: int, cycles: int) -> Iterator[Cycle]:
    """Yield cycles one by one; the model is looked at in between, and stepped by the caller.

    Parameters
    ----------
    model : UnitModel
    rng : random.Random
    calm, cycles : int
        Cycles before wires, and parity, are wrong now and then; all cycles.
    """
    plane, links, slots = model.plane, model.links, model.plane.slots
    word = (1 << plane.data_bits) - 1
    level = [[0] * links for _ in range(slots)]
    asleep = [[0] * links for _ in range(slots)]
    seen = [[Link.idle(slots) for _ in range(plane.link_registers)] for _ in range(links)]
    data = [[rng.randint(0, word) for _ in range(links)] for _ in range(slots)]
    eager, used = 0.5, [-cycles] * slots
    for cycle in range(cycles):
        noise = 0.0 if cycle < calm else 0.05
        if cycle % 100 == 0:
            eager = rng.choice([0.05, 0.3, 0.9])
        driven = []
        for p in range(links):
            seen[p].append(model.drives(p))
            far, link = seen[p].pop(0), Link.idle(slots)
            for r, slot in enumerate(model.slots):
                kid, parent = p in slot.children, p == slot.parent and not slot.root
                pulse = 0
                asleep[r][p] = max(0, asleep[r][p] - 1)
                if slot.valid and kid:
                    if (far.up if plane.shared else far.down)[r]:
                        level[r][p], asleep[r][p] = 0, 3
                    elif not asleep[r][p] and not level[r][p] and rng.random() < eager:
                        level[r][p], data[r][p] = 1, rng.randint(0, word)
                elif slot.valid and parent:
                    level[r][p] = 0
                    if far.up[r] and not asleep[r][p] and rng.random() < eager:
                        pulse, asleep[r][p] = 1, 2 * plane.link_registers + 4
                else:
                    level[r][p] = rng.random() < 0.1 if noise and not slot.valid else 0
                link.up[r] = level[r][p] | (pulse if plane.shared else 0)
                link.down[r] = pulse
                link.up_data[r] = data[r][p] if kid else rng.randint(0, word)
                link.down_data[r] = rng.randint(0, word)
                if rng.random() < noise:
                    link.up[r] ^= 1
                if rng.random() < noise:
                    link.down[r] ^= 1
            link.wrong = plane.parity and rng.random() < noise
            if plane.shared:
                link.down, link.down_data = link.up, link.up_data
            driven.append(link)
        for r, slot in enumerate(model.slots):
            used[r] = cycle if slot.valid else used[r]
        # What its neighbours were told while it was another's is to be over (W4, the one rule).
        rested = [cycle - last > plane.link_registers + 1 for last in used]
        asked = _ask(model, rng, rested) if rng.random() < 0.25 else None
        arrive = sum((rng.random() < eager) << r for r in range(slots)) if model.process else 0
        yield Cycle(
            driven,
            arrive,
            [rng.randint(0, word) for _ in range(slots)],
            asked,
            asked is None and rng.random() < 0.1,
            _beside(rng) if noise and rng.random() < 0.4 else (0, 0, 0),
        )


def _beside(rng: random.Random) -> tuple[int, int, int]:
    return rng.choice((0, 1, rng.randrange(32))), rng.randrange(8), rng.randrange(2)


def _ask(model: UnitModel, rng: random.Random, rested: list[bool]) -> Asked:
    """Return a request that mostly makes sense: set up, look, now and then clear."""
    r = rng.randrange(model.plane.slots)
    slot, choice = model.slots[r], rng.random()
    if choice < 0.25:
        address = rng.choice(
            [8 * r + rng.randrange(8), 1024 + rng.randrange(6), rng.randrange(4096)]
        )
        # Operations above 2 combine to no stated value.
        return Asked(address, rng.random() < 0.1, rng.getrandbits(32) & ~(7 << 3))
    if choice < 0.4:
        return Asked(8 * r + rng.choice([0, 1, 5, 7]), False)
    if slot.valid:
        if slot.fault or rng.random() < 0.1:
            kill = rng.random() < 0.5
            return Asked(8 * r + 4 * kill, True, 2 if kill else rng.getrandbits(18) << 1)
        if rng.random() < 0.1:
            return Asked(8 * r, True, rng.getrandbits(18) << 1 | 1)
        return Asked(8 * r + rng.choice([1, 4]), True, rng.randrange(4))
    if not slot.children or rng.random() < 0.3:
        ports = model.links + model.process
        parent = rng.randrange(1 << (model.links - 1).bit_length())
        children = rng.getrandbits(ports) & ~(1 << parent if rng.random() < 0.95 else 0)
        if model.process and rng.random() < 0.5:
            children |= 1 << model.links
        return Asked(8 * r + 1, True, parent | children << 4 | rng.getrandbits(8) << 24)
    if not rested[r]:
        return Asked(8 * r + 5, False)
    alone = model.links == 1 and slot.children == {PROCESS}
    root = rng.random() < 0.4 or (not alone and slot.parent in slot.children)
    fields = (1, int(root), rng.getrandbits(1), rng.randrange(3), rng.getrandbits(2))
    control, shift = 0, 0
    for value, width in zip(fields, (1, 1, 1, 3, 2), strict=True):
        control |= value << shift
        shift += width
    return Asked(8 * r, True, control | rng.getrandbits(10) << shift | rng.getrandbits(8) << 24)
