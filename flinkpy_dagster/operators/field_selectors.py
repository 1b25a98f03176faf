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


def _steps(code: CodeType, place: int) -> tuple[list, list[int]]:
    """What a code does, with neutral names for the argument at ``place`` and for whole numbers; these numbers."""
    steps: list = []
    numbers: list[int] = []
    for instruction in dis.get_instructions(code):
        operand = instruction.argval
        if instruction.opname.startswith("LOAD_FAST") and instruction.arg == place:
            operand = "argument"
        elif instruction.opname.startswith("LOAD_") and type(operand) is int:
            numbers.append(operand)
            operand = "number"
        steps.append((instruction.opname, operand))
    return steps, numbers


_SELECTING, _ = _steps((lambda value: value[0]).__code__, 0)
