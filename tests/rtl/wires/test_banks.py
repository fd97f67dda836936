"""A config port of two kinds of registers: with strobes of their own, then slots of wires."""

from syncfabric.models.messages import COUNTER_BASE
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.barrier.config import ConfigBank, ConfigPort
from syncfabric.rtl.wires.bank import wire_bank
from tests.rtl.support import clocked

MESH = MeshSpec(kind="mesh", width=2, height=2, barrier_registers=3, setup="manager",
                managers=((0, 0),))  # fmt: skip
READ, WRITTEN = ({0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6}), ({0, 1, 5, 7}, {0, 1, 4})


def test_every_address_reaches_the_register_and_word_it_names() -> None:
    port = ConfigPort(
        MESH, [ConfigBank(3, tuple(range(7)), tuple(range(8))), wire_bank(WirePlane(3, 0))]
    )
    addresses = [*range(8 * 8), COUNTER_BASE, COUNTER_BASE + 3, COUNTER_BASE + 4]
    cases = [
        {
            "config__valid": 1,
            "config__address": address,
            "config__write": write,
            "contents": sum(0x100 + r << 32 * r for r in range(4)),
        }
        for address in addresses
        for write in (0, 1)
    ]
    shown = clocked(port, [*cases, {"config__valid": 0}])
    strobes = []
    for now, after, case in zip(shown, shown[1:], cases, strict=False):
        r, word = divmod(case["config__address"], 8)
        reads, writes = (READ if r < 3 else WRITTEN) if r < 6 else (set(), set())
        if case["config__write"]:
            assert now["write"].bit_count() == (word in writes), case
            assert after["config__error"] == (word not in writes), case
            strobes += [now["write"]] if now["write"] else []
        else:
            counter = COUNTER_BASE <= case["config__address"] < COUNTER_BASE + 4
            assert now["write"] == 0
            assert after["config__error"] == (word not in reads and not counter), case
            assert after["config__rdata"] == (0x100 + min(r, 3) if r < 6 else 0), case
    # In order of their addresses, register by register, each has a strobe of its own; all slots
    # share three.
    assert strobes == [1 << i for i in [*range(3 * 7), *3 * (21, 22, 23)]]
