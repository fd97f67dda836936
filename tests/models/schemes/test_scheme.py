"""A scheme: its cost for one member, its times, and what is no cost."""

import pytest

from syncfabric.models.schemes.scheme import Cost, Scheme, checked_cost, scheme
from syncfabric.models.timing.loggp import LogGP


def made(*, alone: bool = False) -> Scheme:
    @scheme("odd", "An odd one", "nowhere", kinds=("mesh",), times=LogGP, alone=alone)
    def odd(network: str, members: list[int], times: LogGP) -> Cost:
        return Cost(height=len(members), latency_ns=times.o, setup_nodes=len(network))

    return odd


def test_the_function_decides_for_several_members() -> None:
    defaults, slow = LogGP(), LogGP(o=5 * LogGP().o)
    assert made().cost("net", [1, 2]) == Cost(height=2, latency_ns=defaults.o, setup_nodes=3)
    assert made().cost("net", [1, 2], slow).latency_ns == slow.o


def test_one_member_waits_for_none_unless_the_scheme_says_otherwise() -> None:
    assert made().cost("net", [1]) == Cost()
    assert made(alone=True).cost("net", [1]).height == 1


@pytest.mark.parametrize("wrong", [None, 5, Cost(height="a")])  # type: ignore[arg-type]
def test_what_is_no_cost(wrong: object) -> None:
    assert checked_cost("odd", Cost(height=2)) == Cost(height=2)
    with pytest.raises(TypeError, match="it must return a Cost whose fields are numbers"):
        checked_cost("odd", wrong)
