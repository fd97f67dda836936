"""Who reaches a router's registers, and whose an answer is."""

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.setup.access import ConfigAccess
from tests.rtl.support import clocked

OURS = {"index": 2, "outside__valid": 1, "outside__node": 2, "outside__address": 9}
OTHERS = {**OURS, "outside__node": 3}
QUIET = {"index": 2, "outside__valid": 0}
SINK = {"sink__request": 1, "sink__address": 17, "sink__write": 1, "sink__data": 77}
REGISTER = {"inside__ready": 1, "inside__error": 1, "inside__rdata": 0xA}


NETWORK = MeshSpec(kind="mesh", width=2, height=2, setup="manager")


def test_the_network_goes_first_at_its_own_router() -> None:
    cases = [OURS | SINK, OTHERS, QUIET | REGISTER, {"sink__request": 0}]
    seen = clocked(ConfigAccess(NETWORK), cases)
    assert [out["sink__granted"] for out in seen] == [0, 1, 1, 0]
    assert (seen[0]["inside__address"], seen[0]["inside__node"]) == (9, 2)
    made = {"inside__valid": 1, "inside__node": 2, "inside__address": 17}
    made |= {"inside__write": 1, "inside__data": 77}
    assert made.items() <= seen[1].items()
    # The answer to the access made in the cycle before is the sink's alone.
    assert (seen[2]["sink__ready"], seen[2]["sink__error"], seen[2]["sink__rdata"]) == (1, 1, 0xA)
    assert (seen[2]["outside__ready"], seen[2]["outside__rdata"]) == (0, 0)


def test_an_answer_to_the_network_is_not_the_sinks() -> None:
    seen = clocked(ConfigAccess(NETWORK), [OURS | SINK, QUIET | REGISTER])
    assert (seen[1]["outside__ready"], seen[1]["outside__rdata"]) == (1, 0xA)
    assert (seen[1]["sink__ready"], seen[1]["sink__rdata"]) == (0, 0)
