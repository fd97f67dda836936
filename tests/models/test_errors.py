"""Errors: which file they are about, and how to install what is missing."""

import pytest

from syncfabric.models.errors import SpecError, about, how_to_install


def test_the_sentence() -> None:
    assert how_to_install("fpga") == (
        "install it in the checkout with: .venv/bin/pip install -e '.[fpga]'"
    )


def test_a_refusal_begins_with_its_file_once() -> None:
    with pytest.raises(SpecError, match=r"^a\.toml: width$"), about("a.toml"), about("a.toml"):
        raise SpecError("width")
    with pytest.raises(SpecError, match=r"^width$"), about(""):
        raise SpecError("width")
    with pytest.raises(ValueError, match=r"^other$"), about("a.toml"):
        raise ValueError("other")
