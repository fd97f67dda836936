"""In every cycle the static model agrees with a literal reading of the contract."""

import random
from dataclasses import dataclass

import pytest

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.messages import Counter
from syncfabric.models.messages.static import INIT, LoaderWord, Role, StaticWord
from syncfabric.models.networks.spec import StaticSpec
from tests.models.golden.literal_static import LiteralStatic

SIZES = [(1, 1), (2, 1), (1, 3), (2, 2), (3, 2), (3, 3)]
PLAY = 300


def random_spec(rng: random.Random) -> StaticSpec:
    width, height = rng.choice(SIZES)
    return StaticSpec(
        kind="static",
        width=width,
        height=height,
        flit_bits=rng.choice((1, 3)),
        switch_buffer=rng.randint(1, 4),
        core_buffer=rng.randint(1, 4),
        injection_buffer=rng.randint(1, 4),
    )


@dataclass
class Race:
    """Model and reference side by side, with the same inputs; requests are put in between."""

    spec: StaticSpec
    rng: random.Random

    def __post_init__(self) -> None:
        self.model, self.literal = StaticModel(self.spec), LiteralStatic(self.spec)
        self.nodes = self.spec.width * self.spec.height
        self.released = 0
        self.roles: set[int] = set()

    def step(
        self,
        arrive: set[int],
        send: dict[int, int],
        take: set[int],
        hold: dict[int, bool],
        config: ConfigRequest | None,
    ) -> None:
        model, literal, now = self.model, self.literal, self.model.cycle
        assert [node for node, _, _ in model.release] == sorted(literal.released), f"cycle {now}"
        assert model.config_answer == literal.answer, f"cycle {now}"
        for node in range(self.nodes):
            assert model.observe(node) == literal.observe(node), f"cycle {now}, node {node}"
        self.released += len(model.release)
        self.roles |= {node.role for node in literal.nodes}
        for node, level in hold.items():
            literal.hold[node] = level
        record = model.step(
            arrive={(node, 0): 0 for node in arrive},
            send=send,
            take=take,
            hold=hold,
            config=config,
        )
        seen = literal.step(arrive, send, take, config)
        valid, credit, payloads = record[:3] if record else (0, 0, [])
        assert valid == sum(1 << link for link in seen.flits), f"cycle {now}"
        assert credit == sum(1 << link for link in seen.credit), f"cycle {now}"
        assert list(payloads) == [flit for _, flit in sorted(seen.flits.items())], f"cycle {now}"

    def act(self, config: ConfigRequest | None, share: float) -> None:
        """Go through a cycle with inputs by chance."""
        rng = self.rng

        def some() -> set[int]:
            return {node for node in range(self.nodes) if rng.random() < share}

        hold = {node: rng.random() < 0.3 for node in some()} if rng.random() < 0.2 else {}
        self.step(some(), {node: rng.getrandbits(4) for node in some()}, some(), hold, config)


def random_chain(rng: random.Random, spec: StaticSpec) -> int:
    """Return route bits: every output selects one other input, or none; a few are flushed."""
    chain = 0
    for output in range(5 * spec.width * spec.height):
        if rng.random() < 0.8:
            chain |= 1 << 5 * output + rng.randrange(4)
        chain |= (rng.random() < 0.2) << 5 * output + 4
    return chain


def chain_words(chain: int, nodes: int) -> list[int]:
    """Return what to shift in: the highest bits first, filled up in front."""
    length = -(-25 * nodes // 32) * 32
    bits = [chain >> place & 1 for place in reversed(range(length))]
    return [
        sum(bit << place for place, bit in enumerate(bits[first : first + 32]))
        for first in range(0, length, 32)
    ]


def random_request(rng: random.Random, nodes: int) -> ConfigRequest | None:
    """Ask for anything, at nodes most of the time."""
    if rng.random() < 0.6:
        return None
    write, node = rng.random() < 0.7, rng.randrange(nodes)
    if rng.random() < 0.3:
        address = rng.choice((0, 1, 2, 3, 1023, 1024, 1025, 1026, 1027, 1028))
        return ConfigRequest(rng.choice((node, nodes + 1)), address, write, rng.getrandbits(32))
    if rng.random() < 0.5:
        return ConfigRequest(node, StaticWord.COMMAND, True, INIT)
    role, flits = rng.randrange(8), rng.choice((1, 2, 3, 5, 9))
    return ConfigRequest(node, StaticWord.ROLE, True, role | flits << 3 | rng.getrandbits(2) << 30)


def race(seed: int) -> Race:
    """Load routes, play, load others while all goes on, and play again."""
    rng = random.Random(seed)
    run = Race(random_spec(rng), rng)
    share = rng.choice((0.05, 0.3, 0.8))
    for _ in range(2):
        for word in chain_words(random_chain(rng, run.spec), run.nodes):
            run.act(ConfigRequest(run.nodes, LoaderWord.SHIFT, True, word), share)
            for _ in range(rng.choice((31, 32, 32, 34))):
                misuse = rng.random() < 0.1
                node = run.nodes if misuse else rng.randrange(run.nodes)
                run.act(ConfigRequest(node, rng.randrange(4), rng.random() < 0.3, 1), share)
        strobe = ConfigRequest(run.nodes, LoaderWord.STROBE, True, rng.getrandbits(32))
        for request in (strobe, ConfigRequest(run.nodes, LoaderWord.LENGTH, False)):
            run.act(request, share)
        for _ in range(PLAY):
            run.act(random_request(rng, run.nodes), share)
    return run


@pytest.mark.parametrize("seed", range(24))
def test_model_is_the_literal_contract(seed: int) -> None:
    race(seed)


def test_the_races_reach_what_they_are_for() -> None:
    """Releases, refusals and strays come about, in agents of every role."""
    runs = [race(seed) for seed in range(100, 112)]
    assert sum(run.released for run in runs) > 100
    nodes = [node for run in runs for node in run.literal.nodes]
    for counter in (Counter.STRAY, Counter.REFUSED_ARRIVE, Counter.REFUSED_WRITE):
        assert any(node.counters[counter] for node in nodes)
    assert {min(role, Role.ALONE) for run in runs for role in run.roles} == set(Role)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 1400))
def test_many_races(seed: int) -> None:
    race(seed)
