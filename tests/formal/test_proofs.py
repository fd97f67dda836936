"""Every proof still fits the hardware; the proofs themselves are made by `scripts/prove`."""

import pytest
from amaranth.back import rtlil

from tests.formal.prove import PROOFS, prove


@pytest.mark.parametrize("name", PROOFS)
def test_it_is_emitted(name: str) -> None:
    assert '"assert"' in rtlil.convert(PROOFS[name](), emit_src=False)


@pytest.mark.long
@pytest.mark.parametrize("name", PROOFS)
def test_it_holds(name: str) -> None:
    assert prove(PROOFS[name]()) is None
