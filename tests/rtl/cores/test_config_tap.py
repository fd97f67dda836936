"""A core's tap in the config chain: the host's, then its own (microarchitecture-cores.md, K5)."""

import random
from typing import Any

from syncfabric.rtl.transport.config_chain import ConfigTap
from tests.rtl.support import SEED, simulate

INDEX = 5


def test_the_chain_is_the_hosts_until_the_core_runs_and_then_the_cores() -> None:
    tap: Any = ConfigTap()
    rng = random.Random(SEED)
    answers = {"host": 0, "core": 0}

    def drawn(context: Any, side: Any, names: tuple[str, ...]) -> dict[str, int]:
        values = {name: rng.getrandbits(len(getattr(side, name))) for name in names}
        for name, value in values.items():
            context.set(getattr(side, name), value)
        return values

    async def drive(context: Any) -> None:
        context.set(tap.index, INDEX)
        left = None  # cycles until the node answers
        asks = {"host": False, "core": False}
        for cycle in range(1200):
            runs = cycle >= 600
            who = "core" if runs else "host"
            context.set(tap.run, runs)
            new = left is None and rng.random() < 0.6
            # Who may not ask does, too.
            host_asks = new if not runs else rng.random() < 0.3
            asks["core"] = asks["core"] or new if runs else rng.random() < 0.3
            context.set(tap.host.request_valid, host_asks)
            host = drawn(context, tap.host.request, ("node", "write", "address", "target", "data"))
            context.set(tap.valid, asks["core"])
            if new or not runs:
                core = drawn(context, tap, ("write", "address", "data"))
            sent = context.get(tap.node.request_valid)
            assert sent == new, cycle
            if sent and runs:
                asked = {
                    "node": INDEX,
                    "write": core["write"],
                    "address": core["address"] & 31,
                    "target": core["address"] >> 5,
                    "data": core["data"],
                }
                left = rng.choice((3, 4, 9))
            elif sent:
                asked, left = host, rng.choice((3, 4, 9))
            if sent:
                for name, value in asked.items():
                    assert context.get(getattr(tap.node.request, name)) == value
            answered = left == 0
            answer = (int(answered), answered and rng.getrandbits(1), 0)
            answer = (*answer[:2], rng.getrandbits(32) if answered else 0)
            for name, value in zip(("valid", "error", "rdata"), answer, strict=True):
                context.set(getattr(tap.node, f"answer_{name}"), value)
            to_host = tuple(context.get(getattr(tap.host, f"answer_{n}")) for n in _ANSWER)
            to_core = tuple(context.get(getattr(tap, n)) for n in ("ready", "error", "rdata"))
            assert (to_core if runs else to_host) == answer
            assert (to_host if runs else to_core) == (0, 0, 0)
            answers[who] += answered
            left = None if left is None or answered else left - 1
            if answered:
                asks["core"] = False
            await context.tick()
            if cycle == 599:
                left = None

    simulate(tap, drive)
    assert min(answers.values()) > 30


_ANSWER = ("valid", "error", "rdata")
