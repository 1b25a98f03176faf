"""Functions that do nothing but name a field of their argument, such as ``lambda pair: pair[0]``.

Most key selectors and many timestamp assigners are such. What they say can be had for a whole column at once.
"""

import dis
from collections.abc import Callable
from inspect import ismethod
from types import CodeType, FunctionType


def selected_field(function: Callable) -> int | None:
    """N, of a function or method whose body is ``return argument[N]`` for its first argument; None of any other.

    What is compared is the code that Python runs, with that of a function known to be such.
    """
    code, place = (function.__func__, 1) if ismethod(function) else (function, 0)
    if type(code) is not FunctionType or code.__code__.co_argcount <= place:
        return None
    steps, numbers = _steps(code.__code__, place)
    return numbers[0] if steps == _SELECTING and len(numbers) == 1 else None


def field_selector(function: Callable) -> Callable[[], int | None] | None:
    """``selected_field`` of a function that may also be a method with the body ``return argument[self.NAME]``.

    What it gives must be asked again for each batch: an attribute may change. It is None while that is no whole number.
    """
    field = selected_field(function)
    if field is not None:
        return lambda: field
    name = _attribute_named(function)
    if name is None:
        return None
    attributes = vars(function.__self__)  # type: ignore[attr-defined]

    def number() -> int | None:
        value = attributes.get(name)
        return value if type(value) is int else None

    return number


def _attribute_named(function: Callable) -> str | None:
    """NAME, of a bound method whose body is ``return argument[self.NAME]``, where only the object itself has it."""
    if not ismethod(function) or type(function.__func__) is not FunctionType:
        return None
    owner, code = function.__self__, function.__func__.__code__
    if code.co_argcount < 2 or len(code.co_names) != 1 or not hasattr(owner, "__dict__"):
        return None
    kind, (name,) = type(owner), code.co_names
    if hasattr(kind, name) or kind.__getattribute__ is not object.__getattribute__:
        return None
    steps, numbers = _steps(code, 1, name)
    return name if steps == _SELECTING_BY_ATTRIBUTE and not numbers else None


def _steps(code: CodeType, place: int, attribute: str | None = None) -> tuple[list, list[int]]:
    """What a code does, with neutral names for the argument at ``place``, the one before it, the ``attribute``, and for
    whole numbers; these numbers.
    """
    steps: list = []
    numbers: list[int] = []
    for instruction in dis.get_instructions(code):
        operand = instruction.argval
        if instruction.opname.startswith("LOAD_FAST") and instruction.arg == place:
            operand = "argument"
        elif instruction.opname == "LOAD_FAST" and attribute is not None and instruction.arg == place - 1:
            operand = "owner"
        elif instruction.opname.startswith("LOAD_FAST") and isinstance(
            operand, tuple
        ):  # two, from Python 3.13 on
            operand = tuple(map(code.co_varnames.index, operand))
        elif instruction.opname == "LOAD_ATTR" and operand == attribute:
            operand = "attribute"
        elif instruction.opname.startswith("LOAD_") and type(operand) is int:
            numbers.append(operand)
            operand = "number"
        steps.append((instruction.opname, operand))
    return steps, numbers


_SELECTING, _ = _steps((lambda value: value[0]).__code__, 0)
_SELECTING_BY_ATTRIBUTE, _ = _steps((lambda self, value: value[self.place]).__code__, 1, "place")
