"""Where a switch's replies leave: by the table, and at the manager's own switch by its port."""

from syncfabric.rtl.irregular.reply_port import ReplyPort
from tests.rtl.irregular.specs import network
from tests.rtl.support import clocked

SPEC = network(ports=4, flit_bits=32, setup="manager", managers=((1, 2), (3, 2)))
BITS = SPEC.layout.port_bits
ROUTES = sum(port << BITS * to for to, port in enumerate((0, 3, 0, 1, 0)))
FREE = {"routes": ROUTES, "valid": 1, "has_credit": 0b1111, "busy": 0, "take": 0, "tail": 0}


def test_each_manager_is_reached() -> None:
    cases = [
        {**FREE, "number": number, "manager": manager}
        for number, manager in [(0, 0), (0, 1), (1, 0), (1, 1), (3, 0), (3, 1)]
    ]
    offers = [out["offer"] for out in clocked(ReplyPort(SPEC), cases)]
    assert offers == [1 << port for port in (3, 1, 2, 1, 3, 2)]


def test_a_header_waits_for_a_free_channel_and_a_word_for_its_credit() -> None:
    there = {**FREE, "number": 0, "manager": 0}
    cases = [
        {**there, "busy": 0b1000},
        {**there, "has_credit": 0b0111},
        {**there, "take": 1},
        {**there, "busy": 0b1000},
        {**there, "busy": 0b1000, "take": 1, "tail": 1},
        {**there, "busy": 0b1000},
    ]
    offers = [out["offer"] for out in clocked(ReplyPort(SPEC), cases)]
    assert offers == [0, 0, 8, 8, 8, 0]
