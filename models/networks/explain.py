"""From a validation error to the one line that says what to mend."""

import difflib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, get_args

from annotated_types import Ge, Le
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from syncfabric.models.errors import SpecError

LONGEST = 100
"""Letters of a value that an error shows."""
KEYS: dict[str, Collection[str]] = {}
"""The keys of each kind of network, from their tables."""
NO_KIND = ("union_tag_not_found", "union_tag_invalid")
REMOVED = {
    "barrier_unit": "a collective engine takes its place",
    "spill": "set groups to how many a router is to hold, up to 256",
    "reduction_route": "reductions always go back over the links of their distributions",
    "turnaround": "the root's router turns a barrier around",
    "parity": "set check_bits",
    "sync": "set wires to the slots of barrier wires, 0 for none",
}
"""Keys that networks have had, and what takes their place."""
RENAMED = {
    **dict.fromkeys(("barrier_registers", "registers"), "groups"),
    "barrier_pipeline": "engine_stages",
    "sync_links": "message_links",
    "cycles_per_hop": "output_register",
}
"""Keys that networks have had, and what they are called now."""
EXPECTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "a string",
    "tuple_type": "a list",
    "too_short": "a list of one or more",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "dict_type": "a table",
}
FORMS = {
    "links": ("link", "[[switch, port], [switch, port]]"),
    "nodes": ("node", "[switch, port]"),
    "datelines": ("port", "[switch, port]"),
}
"""What a list has, and how that is written."""
PATTERNS = {
    "name": 'a letter, then letters, digits, "_" or "-", 100 in all at most',
    "module": "the name of a Verilog module",
    "model": 'a Python file and a function of it, as "unit.py:combine"',
}


def show(value: object) -> str:
    """Return a value as a network file would spell it, cut off where it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):  # ValueError: a number of too many digits
        text = f"a {type(value).__name__}" if isinstance(value, list | dict | int) else str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the nearest of the known words as a question, or else all of them."""
    words = sorted(known)
    near = difflib.get_close_matches(word, words, n=1, cutoff=0.5)
    return f'did you mean "{near[0]}"?' if near else f"known are {', '.join(words)}"


def choice(words: Sequence[str]) -> str:
    """Return the words as the choice between them: ``"a", "b" or "c"``."""
    *others, last = map(show, words)
    return f"{', '.join(others)} or {last}" if others else last


def explain(
    error: ValidationError, model: type[BaseModel], subject: str, data: Mapping[str, Any]
) -> SpecError:
    """Turn pydantic's list of errors into one line of the project's own wording.

    A wrong ``kind`` comes first, then unknown keys (a mistyped key is also a missing one),
    then the rest in the order of the fields.

    Parameters
    ----------
    error : ValidationError
        What the model raised.
    model : type of BaseModel
        The model, for the ranges and the names of its fields.
    subject : str
        What the line is about, with its colon and space (``"network: "``), or nothing.
    data : mapping
        What the model was to be made of.

    Returns
    -------
    SpecError
        To be raised by the caller.
    """
    first = min(error.errors(), key=_urgency)
    inner = first.get("ctx", {}).get("error")
    if isinstance(inner, SpecError):
        return SpecError(_numbered(str(inner), first["loc"]))
    key = str(first["loc"][0]) if first["loc"] else ""
    if first["type"] in NO_KIND:
        return SpecError(_kind(first))
    if key in FORMS and key in model.model_fields and key in data:
        return SpecError(subject + _list(first, key, data[key]))
    return SpecError(subject + _sentence(first, key, model))


def _urgency(error: ErrorDetails) -> int:
    if error["type"] in NO_KIND or (error["loc"] and error["loc"][-1] == "kind"):
        return 0
    return 1 if error["type"] == "extra_forbidden" else 2


def _numbered(text: str, place: Sequence[int | str]) -> str:
    """Name a group without a usable id by its place in the file."""
    if text.startswith("group: ") and len(place) > 1 and isinstance(place[1], int):
        return f"group #{place[1] + 1}: " + text.removeprefix("group: ")
    return text


def _kind(error: ErrorDetails) -> str:
    """Say what ``kind`` must be, where it tells the tables apart."""
    if not isinstance(error["input"], dict):
        return f"network must be a table, not {show(error['input'])}"
    if error["type"] == "union_tag_not_found":
        return f"network: kind is missing; it must be {choice([*KEYS])}"
    kind = error["input"]["kind"]
    return f"network: kind must be {choice([*KEYS])}, not {show(kind)}"


def _list(error: ErrorDetails, key: str, value: Any) -> str:
    """Say how a list of places or links is written, by the entry that is not."""
    what, form = FORMS[key]
    index = next((step for step in error["loc"] if isinstance(step, int)), None)
    if index is None:
        return f"{key} must be a list of {form}, not {show(value)}"
    return f"{key}: {show(value[index])} is not a {what}; write {form} in whole numbers"


def _sentence(error: ErrorDetails, key: str, model: type[BaseModel]) -> str:
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown(key, model)
    if kind == "missing":
        rule = _rule(key, model, context)
        return f"{key} is missing; {f'it must be {rule}' if rule else 'add it'}"
    if key == "group" and kind == "tuple_type":
        return "group must be a list of tables; head each with [[group]]"
    expected = EXPECTED.get(kind) or _rule(key, model, context)
    if expected:
        return f"{key} must be {expected}, not {show(value)}"
    return f"{key}: {error['msg']}, not {show(value)}"


def _unknown(key: str, model: type[BaseModel]) -> str:
    known = [field.alias or name for name, field in model.model_fields.items()]
    if "kind" in known:
        (own,) = get_args(model.model_fields["kind"].annotation)
        if key in REMOVED and own != "static":
            return f'key "{key}" is gone: {REMOVED[key]}; remove it'
        if key in RENAMED and own != "static":
            return f'key "{key}" is called "{RENAMED[key]}" now (docs/network-files.md)'
        if kinds := [kind for kind, keys in KEYS.items() if key in keys]:
            return f'key "{key}" belongs to {" and ".join(kinds)} networks; remove it'
    if key == "fence":
        return 'key "fence" belongs to groups; set it in [[group]]'
    return f'unknown key "{key}"; {did_you_mean(key, known)}'


def _rule(key: str, model: type[BaseModel], context: Mapping[str, Any]) -> str:
    """Say what a field's values must be."""
    if key in PATTERNS:
        return PATTERNS[key]
    if "expected" in context:
        return str(context["expected"]).replace("'", '"')
    field = next((f for name, f in model.model_fields.items() if key in (name, f.alias)), None)
    if field is None:
        return ""
    low = next((m.ge for m in field.metadata if isinstance(m, Ge)), None)
    high = next((m.le for m in field.metadata if isinstance(m, Le)), None)
    if high is not None:
        return f"{low} to {high}"
    return f"{low} or more" if low is not None else ""
