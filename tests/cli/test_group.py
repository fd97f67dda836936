"""The help of the command line: heads, commands, and what is in brackets."""

import re
from collections.abc import Callable
from typing import Any, get_type_hints

import pytest

from syncfabric.cli.group import PANELS, function_of
from tests.cli.conftest import Call

COMMANDS = [name for names in PANELS.values() for name in names]


def shown(call: Call, *words: str) -> str:
    """Return help without frames and line breaks."""
    result = call(*words, "--help")
    assert result.exit_code == 0
    return " ".join(re.sub("[│╭╮╰╯─]", " ", result.stdout).split())


def written(command: Callable[..., Any]) -> str:
    """Return what a command's source says of it and of its options."""
    hints = get_type_hints(command, include_extras=True).values()
    given = (
        getattr(part, "help", "") for hint in hints for part in getattr(hint, "__metadata__", ())
    )
    return "\n".join([str(command.__doc__), *filter(None, given)])


def test_help_shows_every_command_under_its_head(call: Call) -> None:
    text = shown(call)
    places = [text.index(f" {head} {names[0]} ") for head, names in PANELS.items()]
    assert places == sorted(places)
    assert all(f" {name} " in text for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_what_is_in_brackets(call: Call, name: str) -> None:
    bracketed = re.findall(r"\[[^]]*\]", written(function_of(name)))
    text = shown(call, name)
    assert [words for words in bracketed if words not in text] == []
    assert ("[network]" in bracketed) == (name in ("build", "synth"))


def test_without_a_command_there_is_help(call: Call) -> None:
    assert call().exit_code == 0
    assert "Usage: " in call().stdout
