"""What the exact method leaves out, and when it ends."""

import time

import pytest

from syncfabric.models.collectives.clock import Clock
from syncfabric.models.collectives.encoding import encode
from syncfabric.models.collectives.exact import solve as solving
from syncfabric.models.collectives.exact.model import Model, run
from syncfabric.models.collectives.methods import solve
from syncfabric.models.collectives.symmetry import translations
from syncfabric.models.collectives.task import Rules
from syncfabric.models.errors import SpecError
from tests.models.collectives.tasks import FREE, ONE, STORE, STRICT, assert_right, task


@pytest.mark.parametrize(
    ("name", "kind", "steps", "rules"),
    [
        ("hypercube-32", "AAS", 16, FREE),
        ("fat-octagon-16", "AAS", 18, ONE),
        ("octagon-8", "AAS", 5, FREE),
        ("coated-mesh-2x2", "AAS", 9, ONE),
        ("torus-8x8", "AAB", 16, STORE),
        ("moore-petersen", "AAB", 4, STORE),
        ("fat-octagon-8", "AAB", 8, STRICT),
    ],
)
def test_images_of_what_is_scheduled_do_not_meet(
    name: str, kind: str, steps: int, rules: Rules
) -> None:
    asked = task(name, kind, rules)
    for symmetry in translations(asked.topology)[:2]:
        try:
            encoding = encode(asked, steps, symmetry=symmetry)
        except SpecError:
            continue  # every path of a message meets an image of itself
        answer = run(Model(encoding), seed=1, clock=Clock(30))
        if answer.steps is None:
            assert answer.infeasible  # so much alike it cannot be
        else:
            assert_right(asked, answer.steps, steps)
            return
    pytest.fail("no symmetry led to a schedule")


def test_paths_left_out_are_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = task("mesh-4x4", "OAS", senders=[1])
    some = encode(asked, 5, paths=2, whole=True)
    assert not some.table.whole
    assert run(Model(some), seed=1, clock=Clock(10)).infeasible
    monkeypatch.setattr(solving, "_ALL", 2)
    assert not solve("exact", asked, 5, time_limit=10).infeasible


def test_the_time_limit_is_kept() -> None:
    asked = task("mesh-4x4", "AAB", STRICT)
    begun = time.monotonic()
    assert not solve("exact", asked, 17, time_limit=0.5).infeasible
    assert time.monotonic() - begun < 5


def test_what_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "MOST", 300)
    with pytest.raises(SpecError, match="too large"):
        solve("exact", task("mesh-3x3", "AAS"), 8, time_limit=10, symmetric=False)
