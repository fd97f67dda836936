"""The networks of the set-up benches, and what the models know of their registers."""

import random
from dataclasses import dataclass

from syncfabric.models.networks.spec import IrregularSpec, MeshSpec
from syncfabric.rtl.setup.format import SetupFormat, setup_format

IRREGULAR = IrregularSpec(
    kind="irregular",
    ports=5,
    switches=3,
    links=(((0, 0), (1, 0)), ((1, 1), (2, 0))),
    nodes=((0, 2), (1, 3), (2, 4)),
    barrier_registers=3,
)
MESH = MeshSpec(
    kind="mesh", width=3, height=2, barrier_registers=2, channels=2, buffer_flits=3,
    flit_bits=36,
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A network with managers; addresses and bits as the documents give them."""

    spec: IrregularSpec | MeshSpec
    managers: tuple[tuple[int, int], ...]
    words: tuple[int, ...]
    kept: tuple[int, ...]
    turns: bool
    command: int
    state: int
    busy: tuple[int, ...]

    @property
    def form(self) -> SetupFormat:
        return setup_format(self.spec, self.managers)

    def header(self, manager: int) -> int:
        """Return the header of a reply."""
        first, second = self.managers[manager]
        if isinstance(self.spec, MeshSpec):
            return first | second << 2 | 1 << 3
        return second << 1 | first << 4

    def flit(self, payload: int, *, head: bool, tail: bool) -> int:
        return self.spec.layout.flit.pack({"payload": payload, "head": head, "tail": tail})


CASES = {
    "irregular": Case(
        spec=IRREGULAR,
        managers=((1, 3), (0, 2), (2, 4)),
        words=(1,),
        kept=(0b11111_0111,),
        turns=False,
        command=4,
        state=5,
        busy=(*range(17), 19),
    ),
    "mesh": Case(
        spec=MESH,
        managers=((2, 1), (0, 1)),
        words=(1, 2, 3, 4, 5),
        kept=(1 << 21 | 0b1_0000000011, *[0b1_0000000001_0000000011] * 4),
        turns=True,
        command=6,
        state=6,
        busy=(*range(12), 14),
    ),
}


def packet(case: Case, words: list[int]) -> list[int]:
    """Return the flits of a packet with these payloads."""
    last = len(words) - 1
    return [case.flit(word, head=i == 0, tail=i == last) for i, word in enumerate(words)]


def coin(rng: random.Random, chance: float) -> bool:
    return rng.random() < chance
