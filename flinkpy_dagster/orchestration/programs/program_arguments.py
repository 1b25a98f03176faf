"""The arguments that a program declares with ``argparse``, as typed config for the launchpad.

While a program is loaded it makes its parser and parses: what the parser knows of its options (types, choices, help,
defaults) becomes one config field each. Programs that parse in another way have ``args``, a plain list.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from dagster import Field, Noneable

from flinkpy_dagster.errors import ConfigurationError
from flinkpy_dagster.orchestration.programs.checked_config import Checked, enumeration

_NO_VALUES = (argparse._HelpAction, argparse._VersionAction, argparse._SubParsersAction)
_PLAIN: dict[Any, type] = {None: str, str: str, int: int, float: float}


@contextmanager
def parsers_used() -> Iterator[list[argparse.ArgumentParser]]:
    """The parsers with which the block has parsed, in order. Not for several threads at once."""
    used: list[argparse.ArgumentParser] = []
    original = argparse.ArgumentParser.parse_known_args

    def parse_known_args(self: Any, *args: Any, **kwargs: Any) -> Any:
        used.append(self)
        return original(self, *args, **kwargs)

    argparse.ArgumentParser.parse_known_args = parse_known_args  # type: ignore[method-assign]
    try:
        yield used
    finally:
        argparse.ArgumentParser.parse_known_args = original  # type: ignore[method-assign]


class ProgramArguments:
    """The options of one program, by name (``dest``). Positional ones are not among them: they go into ``args``."""

    def __init__(self, program: str, parsers: Sequence[argparse.ArgumentParser] = ()):
        actions = parsers[0]._actions if parsers else []
        self._program = program
        self._actions = {
            each.dest: each
            for each in actions
            if each.option_strings and not isinstance(each, _NO_VALUES) and each.help != argparse.SUPPRESS
        }

    def fields(self) -> dict[str, Field]:
        """One config field per option; none is required, the parser has their defaults."""
        return {name: self._field(action) for name, action in self._actions.items()}

    def argv(self, values: Mapping[str, Any]) -> list[str]:
        """The words that stand for these values on the command line."""
        return [word for name, value in values.items() for word in _words(self._actions[name], value)]

    def _field(self, action: argparse.Action) -> Field:
        about = (action.help or "").replace("%%", "%") if "%(" not in (action.help or "") else ""
        if action.default not in (None, argparse.SUPPRESS):
            about = f"{about} Default: {action.default}.".strip()
        return Field(self._type(action), is_required=False, description=about or None)

    def _type(self, action: argparse.Action) -> Any:
        if _is_switch(action):
            return bool
        if isinstance(action, argparse._CountAction):
            return int
        one = self._type_of_one(action)
        return [one] if _takes_several(action) else one

    def _type_of_one(self, action: argparse.Action) -> Any:
        if action.choices and all(isinstance(each, str) for each in action.choices):
            return enumeration(f"{self._program}_{action.dest}", tuple(action.choices))
        if action.type in _PLAIN and not action.choices:
            return _PLAIN[action.type]
        return Checked(str, lambda text: _check(action, text)) if callable(action.type) else Noneable(str)


def _is_switch(action: argparse.Action) -> bool:
    switches = (argparse._StoreTrueAction, argparse._StoreFalseAction, argparse.BooleanOptionalAction)
    return isinstance(action, switches)


def _takes_several(action: argparse.Action) -> bool:
    is_repeated = isinstance(action, argparse._AppendAction)
    return is_repeated or action.nargs in ("*", "+") or isinstance(action.nargs, int)


def _check(action: argparse.Action, text: str) -> None:
    try:
        value = action.type(text)  # type: ignore[operator, misc]
    except Exception as problem:  # whatever the program's own conversion raises
        raise ConfigurationError(
            f"Argument '{action.option_strings[-1]}' cannot be '{text}': {problem}."
        ) from None
    if action.choices and value not in action.choices:
        allowed = ", ".join(map(str, action.choices))
        raise ConfigurationError(f"Argument '{action.option_strings[-1]}' is one of {allowed}, not '{text}'.")


def _words(action: argparse.Action, value: Any) -> list[str]:
    flag = action.option_strings[-1]
    if value is None:
        return []
    if isinstance(action, argparse.BooleanOptionalAction):
        negative = next(each for each in action.option_strings if each.startswith("--no-"))
        positive = next(each for each in action.option_strings if not each.startswith("--no-"))
        return [positive if value else negative]
    if _is_switch(action):
        return [flag] if value is (isinstance(action, argparse._StoreTrueAction)) else []
    if isinstance(action, argparse._CountAction):
        return [flag] * value
    if isinstance(action, argparse._AppendAction):
        return [f"{flag}={each}" for each in value] if flag.startswith("--") else _pairs(flag, value)
    if _takes_several(action):
        return [flag, *map(str, value)]
    return [f"{flag}={value}"] if flag.startswith("--") else [flag, str(value)]


def _pairs(flag: str, values: Sequence[Any]) -> list[str]:
    return [word for each in values for word in (flag, str(each))]
