"""Set-up without acknowledgement: when it is safe, and what becomes of it otherwise."""

import random
from collections import Counter

import pytest

from syncfabric.models.setup.explore import explore, run
from syncfabric.models.setup.life import Life, life_of
from syncfabric.models.setup.network import Violation
from syncfabric.models.setup.rules import Rules
from syncfabric.models.setup.unmanaged import LocalNetwork, PaperNetwork
from tests.models.planning.irregular import draw_network
from tests.models.setup.instances import line, plan

MOST = 50_000


def drawn(kind: type[LocalNetwork], seed: int, rules: Rules) -> LocalNetwork:
    rng = random.Random(seed)
    topology = draw_network(rng, rng.randint(2, 7), rng.randint(0, 4), 10, 6)
    lives: list[Life] = []
    for gid in range(3):
        for turn in range(2):
            members = rng.sample(topology.nodes, min(4, len(topology.nodes)))
            after = len(lives) - 1 if turn else None
            group = plan(topology, gid, members)
            lives.append(
                life_of(group, len(lives), epoch=turn, barriers=rng.randint(1, 2), after=after)
            )
    return kind(topology, lives, rules=rules)


def outcomes(kind: type[LocalNetwork], rules: Rules, networks: int) -> Counter[str]:
    seen: Counter[str] = Counter()
    for seed in range(networks):
        try:
            run(drawn(kind, seed, rules), random.Random(seed))
            seen["well"] += 1
        except Violation as violation:
            seen[str(violation).split()[0]] += 1
    return seen


def spread(kind: type[LocalNetwork], rules: Rules, registers: int | None = None) -> LocalNetwork:
    """Members on the ends of three switches, none on the middle one."""
    row = line(3)
    life = life_of(plan(row, 1, [(0, 2), (2, 2)]), 0)
    return kind(row, [life], rules=rules, registers=registers)


def test_local_is_safe_when_all_have_written_before_the_first_arrives() -> None:
    assert outcomes(LocalNetwork, Rules(), 40) == {"well": 40}
    assert explore(spread(LocalNetwork, Rules()), MOST).ends == 1


def test_local_loses_messages_without_start() -> None:
    assert outcomes(LocalNetwork, Rules(start=False), 60)["lost"] > 30
    with pytest.raises(Violation, match=r"^lost at 0: .*REDUCE"):
        explore(spread(LocalNetwork, Rules(start=False)), MOST)


def test_the_paper_s_set_up_lets_messages_come_early() -> None:
    """A representative's request for the middle switch comes after a member's message."""
    with pytest.raises(Violation, match=r"^lost at 1: .*REDUCE"):
        explore(spread(PaperNetwork, Rules(start=False)), MOST)
    assert outcomes(PaperNetwork, Rules(start=False), 60)["lost"] > 20


def test_the_paper_s_set_up_leaves_orphans() -> None:
    """The request to clear the middle switch comes while it still distributes."""
    with pytest.raises(Violation, match=r"^orphaned entry: \(1, 1\)"):
        explore(spread(PaperNetwork, Rules()), MOST)
    assert outcomes(PaperNetwork, Rules(), 60)["orphaned"] > 5


def test_nobody_hears_of_a_full_switch_in_the_paper_s_set_up() -> None:
    with pytest.raises(Violation, match=r"^stuck"):
        explore(spread(PaperNetwork, Rules(), registers=0), MOST)
