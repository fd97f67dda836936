"""The loader of routes: every bit in its cycle, and every request's answer."""

import random

from syncfabric.models.messages.static import LoaderWord
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.static.config import RouteLoader
from tests.rtl.support import SEED, agree

SPEC = StaticSpec(kind="static", width=3, height=2)


def test_bits_and_answers_come_in_their_cycles() -> None:
    """Requests at any time, many of them while it shifts, some for others."""
    rng, cases, rows = random.Random(SEED), list[dict[str, int]](), list[dict[str, int]]()
    bits: dict[int, int] = {}
    strobes: set[int] = set()
    answers: dict[int, tuple[int, int]] = {}
    kinds = {"refused": 0, "met": 0, "length": 0, "words": 0}
    for cycle in range(5000):
        valid, node = rng.random() < 0.1 or cycle - 32 in bits, rng.choice((6, 6, 6, 2))
        address = rng.choice((*LoaderWord, 3, 1024))
        write, data = rng.random() < 0.6, rng.getrandbits(32)
        drive = {"valid": valid, "node": node, "address": address, "write": write, "data": data}
        drive = {f"config__{name}": value for name, value in drive.items()}
        expected = {
            "route__shift": cycle in bits,
            "route__strobe": cycle in strobes,
            "config__ready": cycle in answers,
            "config__error": answers.get(cycle, (0, 0))[0],
            "config__rdata": answers.get(cycle, (0, 0))[1],
        }
        if cycle in bits:
            expected["route_in"] = bits[cycle]
        cases.append(drive)
        rows.append(expected)
        if valid and node == SPEC.layout.loader:
            error, word = 1, 0
            if cycle not in bits:
                if write and address == LoaderWord.SHIFT:
                    bits |= {cycle + 1 + k: data >> k & 1 for k in range(32)}
                    answers[cycle + 33] = 0, 0
                    kinds["words"] += 1
                    error = -1
                elif write and address == LoaderWord.STROBE:
                    strobes.add(cycle + 1)
                    error = 0
                elif not write and address == LoaderWord.LENGTH:
                    error, word = 0, 25 * 6
                    kinds["length"] += 1
            kinds["refused"] += error == 1
            if error >= 0:
                kinds["met"] += cycle + 1 in answers
                answers[cycle + 1] = error, word
    agree(RouteLoader(SPEC), cases, rows)
    assert min(*kinds.values(), len(strobes)) > 5, kinds
