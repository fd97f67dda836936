"""A node's core alone: what a flush does in the very cycle in which a barrier ends."""

import pytest

from syncfabric.models.messages.static import ROLE_WORD, Role, StaticWord
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.static.node import StaticCore
from tests.rtl.support import agree

SPEC = StaticSpec(kind="static", width=2, height=2)


@pytest.mark.parametrize("flushed", [False, True])
def test_a_flush_takes_the_release_back(flushed: bool) -> None:
    """A member of a tree of one flit arrives; the flit is popped, and flushed or not."""
    role = ROLE_WORD.pack({"role": Role.TREE, "flits": 1})
    asks = {"valid": 1, "address": StaticWord.ROLE, "write": 1, "data": role}
    none = {"config__valid": 0, "port__arrive": 0, "eject__valid": 0, "eject__flush": 0}
    reads = none | {"config__valid": 1, "config__write": 0}
    cases = [
        {"eject__flush": 1},  # as in reset, from the switch
        none | {f"config__{name}": value for name, value in asks.items()},
        none | {"port__arrive": 1, "eject__valid": 1},
        none | {"eject__flush": flushed},
        *[reads] * 3,
    ]
    over = [{"port__released": int(cycle == 0 and not flushed)} for cycle in range(3)]
    expected: list[dict[str, int]] = [
        {},
        {},
        {"port__ready": 1, "config__ready": 1, "config__error": 0},
        {"eject__credit": 1},
        *({**each, "port__done": int(not flushed)} for each in over),
    ]
    expected[-1]["config__rdata"] = role
    agree(StaticCore(SPEC), cases, expected)
