"""Groups that are set up, synchronize, go and make room for others, before an independent judge.

The judge knows what each member has given and been told, and nothing of wires.
"""

from __future__ import annotations

import random
from functools import reduce
from operator import and_, or_, xor

from tests.models.golden.wire_race import WireRace
from tests.models.golden.wire_trees import WireTree, draw_tree

OPERATIONS = (or_, and_, xor)


class Life:
    """A group from its set-up until its slots may be used again."""

    def __init__(self, rng: random.Random, slot: int, tree: WireTree, gid: int) -> None:
        self.slot, self.tree, self.op = slot, tree, rng.randrange(3)
        self.given: dict[int, list[int]] = {member: [] for member in tree.members}
        self.told: dict[int, int] = dict.fromkeys(tree.members, 0)
        self.broken: set[int] = set()
        self.episodes = rng.randint(0, 6)
        self.killed = rng.random() < 0.4
        self.kill_at = rng.randint(1, 150)
        units = rng.sample(sorted(tree.parent), len(tree.parent))
        self.writes = []
        for unit in units:
            image, control = tree.words(unit, self.op, gid)
            self.writes += [(unit, 8 * slot + 1, True, image), (unit, 8 * slot, True, control)]
        self.clears = [
            (unit, 8 * slot, True, 0) if rng.random() < 0.5 else (unit, 8 * slot + 4, True, 2)
            for unit in rng.sample(units, len(units))
        ]
        if self.killed and rng.random() < 0.3:
            del self.writes[rng.randint(0, len(units)) * 2 :]
            self.clears = [(unit, 8 * slot, True, 0) for unit, *_ in self.clears]
        self.ending = False
        self.free_at: int | None = None
        self.open_from: dict[int, int] = {}

    def complete(self, data_bits: int, node: int, result: int) -> None:
        """Judge a release that says nothing of being broken."""
        episode = self.told[node]
        self.told[node] += 1
        assert min(len(given) for given in self.given.values()) > episode, "released early"
        data = [given[episode] for given in self.given.values()]
        assert result == reduce(OPERATIONS[self.op], data) & (1 << data_bits) - 1, "wrong result"

    def over(self) -> bool:
        """Return whether all barriers are over."""
        return all(told >= self.episodes for told in self.told.values())


class WireStory:
    """Plays lives by chance on both models."""

    def __init__(self, race: WireRace, rng: random.Random, share: float, gap: int) -> None:
        self.race, self.rng, self.share, self.gap = race, rng, share, gap
        self.lives: list[Life] = []
        self.past: dict[tuple[int, int], Life] = {}
        self.taken: set[tuple[int, int]] = set()
        self.ended = self.releases = self.breaks = 0
        self.nodes = [unit for unit, (_, process) in enumerate(race.place.units) if process]

    def begin(self) -> None:
        """Set another group up, if there is room for it: all of it, before any of it is written."""
        rng, slot = self.rng, self.rng.randrange(self.race.plane.slots)
        units = [u for u in range(len(self.race.place.units)) if (u, slot) not in self.taken]
        nodes = [unit for unit in self.nodes if unit in units]
        if not nodes:
            return
        members = rng.sample(nodes, rng.randint(1, len(nodes)))
        tree = draw_tree(rng, self.race.place, members, units, straight=rng.random() < 0.5)
        if tree is not None:
            self.lives.append(Life(rng, slot, tree, len(self.lives) & 255))
            self.taken |= {(unit, slot) for unit in tree.parent}

    def request(self) -> tuple[int, int, bool, int] | None:
        """Return what is to be written next, if anything."""
        for life in self.rng.sample(self.lives, len(self.lives)):
            if life.ending and life.clears:
                write = life.clears.pop()
                if not life.clears:
                    # Looked at a cycle later on irregular networks.
                    life.free_at = self.race.now + self.gap
                return write
            if not life.ending and life.writes:
                write = life.writes.pop(0)
                if write[1] % 8 == 0:
                    life.open_from[write[0]] = self.race.now + 1 + self.race.place.late
                return write
        return None

    def step(self) -> None:
        """Go through a cycle and judge it."""
        rng, race = self.rng, self.race
        for life in list(self.lives):
            life.kill_at -= life.killed
            if (life.killed and life.kill_at == 0) or (life.over() and not life.writes):
                life.ending = True
            if life.free_at == race.now:
                self.lives.remove(life)
                self.past |= {(node, life.slot): life for node in life.given}
                self.taken -= {(unit, life.slot) for unit in life.tree.parent}
                self.ended += 1
        if rng.random() < 0.3:
            self.begin()
        arrive = {}
        for life in self.lives:
            for node, given in life.given.items():
                pending = len(given) > life.told[node] + (self._released(life, node))
                wants = len(given) < life.episodes and not pending and node not in life.broken
                is_open = life.open_from.get(node, race.now + 1) <= race.now
                is_open = is_open and race.slot(node, life.slot).live
                if wants and is_open and rng.random() < self.share:
                    data = rng.getrandbits(race.plane.data_bits)
                    arrive[node, life.slot] = data
                    given.append(data)
        request = self.request() if rng.random() < 0.8 else None
        by_place = {
            (node, life.slot): life
            for life in self.lives
            for node in life.given
            if life.given[node]
        }
        race.act(arrive, request)
        for node, slot, result, broken in race.released:
            life = by_place.get((node, slot)) or self.past[node, slot]
            if broken:
                assert life.ending, "broken though nobody killed it"
                life.broken.add(node)
                self.breaks += 1
            else:
                life.complete(race.plane.data_bits, node, result)
                self.releases += 1
        for life in self.lives:
            for unit in life.tree.parent:
                if not life.ending:
                    assert not race.slot(unit, life.slot).fault, "a false fault"

    def _released(self, life: Life, node: int) -> bool:
        """Return whether ``released`` is high in this cycle."""
        slot = self.race.slot(node, life.slot)
        return bool(slot.released and not slot.broken)
