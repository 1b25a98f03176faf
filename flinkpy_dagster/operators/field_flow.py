"""Which fields of its arguments each field of a function's result is made of, as far as its code proves it.

The code is followed step by step with fields instead of values. It must be one straight line: comparisons that jump,
loops and anything not known here end it, and nothing is said. A call of something unknown leaves the fields that it
makes unknown; calls of methods of a field and of a few built-in functions make what their arguments make.
"""

import dis
from collections.abc import Callable, Sequence
from inspect import ismethod
from types import CodeType, FunctionType
from typing import Any

from flinkpy_dagster.types import Row

Origin = tuple[int, int]
"""An argument and a field of it, both by position."""
Origins = frozenset[Origin] | None
"""None: not known."""

_PURE = frozenset({str, int, float, bool, abs, round, len, min, max, sum, tuple, repr, divmod})
_NULL = object()


class _Whole:
    """An argument itself."""

    def __init__(self, number: int, names: Sequence[str] | None):
        self.number, self.names = number, names

    def origins(self) -> Origins:
        return frozenset((self.number, place) for place in range(len(self.names or ("value",))))

    def field(self, selector: Any) -> Any:
        """The field at a position or of a name. Raises _Unknown."""
        if self.names is None:
            return _Part(self.origins())
        if isinstance(selector, str) and selector in self.names:
            return _Part(frozenset({(self.number, list(self.names).index(selector))}))
        is_position = isinstance(selector, int) and -len(self.names) <= selector < len(self.names)
        if not is_position:
            raise _Unknown
        return _Part(frozenset({(self.number, selector % len(self.names))}))


class _Part:
    """Something made of fields; None: of nobody knows what."""

    def __init__(self, origins: Origins):
        self._origins = origins

    def origins(self) -> Origins:
        return self._origins


class _Constant(_Part):
    def __init__(self, value: Any):
        super().__init__(frozenset())
        self.value = value


class _Several:
    """A tuple or a row."""

    def __init__(self, items: Sequence[Any]):
        self.items = list(items)

    def origins(self) -> Origins:
        return _together(self.items)


class _Unknown(Exception):
    """The code does what is not followed."""


def flow_of(function: Callable, arguments: Sequence[Sequence[str] | None]) -> list[Origins] | None:
    """The origins of every field of what ``function`` returns; one entry for a result that is no tuple and no row.

    ``arguments``: the names of the fields of each argument, None for one that has no fields. None: nothing is known.
    """
    code, first = (function.__func__, 1) if ismethod(function) else (function, 0)
    if type(code) is not FunctionType or code.__code__.co_argcount != first + len(arguments):
        return None
    try:
        result = _Machine(code, first, arguments).run(code.__code__)
    except (_Unknown, IndexError, AttributeError, TypeError):
        return None
    if isinstance(result, _Whole) and result.names is not None:
        return [frozenset({(result.number, place)}) for place in range(len(result.names))]
    return [each.origins() for each in result.items] if isinstance(result, _Several) else [result.origins()]


def _together(parts: Sequence[Any]) -> Origins:
    found: frozenset[Origin] = frozenset()
    for part in parts:
        origins = part.origins()
        if origins is None:
            return None
        found |= origins
    return found


class _Machine:
    """Python's stack machine with fields on its stack."""

    def __init__(self, function: FunctionType, first: int, arguments: Sequence[Sequence[str] | None]):
        self._globals = function.__globals__
        self._builtins = vars(__import__("builtins"))
        names = function.__code__.co_varnames[first:]
        self._locals: dict[str, Any] = {
            name: _Whole(number, fields) for number, (name, fields) in enumerate(zip(names, arguments))
        }
        self._stack: list[Any] = []
        self._keywords: tuple[str, ...] = ()

    def run(self, code: CodeType) -> Any:
        for step in dis.get_instructions(code):
            if step.opname == "RETURN_VALUE":
                return self._stack.pop()
            if step.opname == "RETURN_CONST":
                return _Constant(step.argval)
            method = getattr(self, f"_{step.opname.lower()}", None)
            if method is not None:
                method(step)
            elif step.opname not in ("RESUME", "PRECALL", "CACHE", "NOP", "COPY_FREE_VARS", "MAKE_CELL"):
                raise _Unknown
        raise _Unknown

    def _push_null(self, step: Any) -> None:
        self._stack.append(_NULL)

    def _load_fast(self, step: Any) -> None:
        if step.argval not in self._locals:
            raise _Unknown
        self._stack.append(self._locals[step.argval])

    _load_fast_check = _load_fast_borrow = _load_fast

    def _store_fast(self, step: Any) -> None:
        self._locals[step.argval] = self._stack.pop()

    def _pop_top(self, step: Any) -> None:
        self._stack.pop()

    def _load_const(self, step: Any) -> None:
        self._stack.append(_Constant(step.argval))

    _load_small_int = _load_const

    def _load_deref(self, step: Any) -> None:
        self._stack.append(_Part(None))

    def _load_global(self, step: Any) -> None:
        if step.argrepr.startswith("NULL"):
            self._stack.append(_NULL)
        name = step.argval
        known = self._globals.get(name, self._builtins.get(name, _NULL))
        is_constant = callable(known) or isinstance(known, str | bytes | int | float)
        self._stack.append(_Constant(known) if is_constant else _Part(None))  # what changes may hold anything
        if step.argrepr.endswith("NULL"):
            self._stack.append(_NULL)

    def _load_attr(self, step: Any) -> None:
        owner = self._stack.pop()
        self._stack.append(owner.field(step.argval) if isinstance(owner, _Whole) else _Part(owner.origins()))
        if "NULL" in step.argrepr:  # a method: what it is called on comes with it
            self._stack.append(_NULL)

    def _load_method(self, step: Any) -> None:
        owner = self._stack.pop()
        if isinstance(owner, _Whole) and owner.names is not None:
            raise _Unknown
        self._stack += [_NULL, _Part(owner.origins() if not isinstance(owner, _Constant) else None)]

    def _binary_subscr(self, step: Any) -> None:
        selector, owner = self._stack.pop(), self._stack.pop()
        if isinstance(owner, _Whole) and isinstance(selector, _Constant):
            self._stack.append(owner.field(selector.value))
        elif isinstance(owner, _Several) and isinstance(selector, _Constant):
            self._stack.append(owner.items[selector.value])
        else:
            self._stack.append(_Part(_together([owner, selector])))

    def _binary_op(self, step: Any) -> None:
        if step.argrepr == "[]":  # Python 3.14
            self._binary_subscr(step)
            return
        other, one = self._stack.pop(), self._stack.pop()
        if isinstance(one, _Several) and isinstance(other, _Several) and step.argrepr == "+":
            self._stack.append(_Several(one.items + other.items))
        else:
            self._stack.append(_Part(_together([one, other])))

    def _compare_op(self, step: Any) -> None:
        other, one = self._stack.pop(), self._stack.pop()
        self._stack.append(_Part(_together([one, other])))

    _is_op = _contains_op = _compare_op

    def _unary_not(self, step: Any) -> None:
        self._stack.append(_Part(self._stack.pop().origins()))

    _unary_negative = _unary_positive = _unary_invert = _unary_not

    def _build_tuple(self, step: Any) -> None:
        self._stack.append(_Several(self._taken(step.arg)))

    def _build_string(self, step: Any) -> None:
        self._stack.append(_Part(_together(self._taken(step.arg))))

    def _format_value(self, step: Any) -> None:
        if step.arg & 4:
            self._stack.pop()  # how to format it
        self._unary_not(step)

    _format_simple = _convert_value = _unary_not

    def _unpack_sequence(self, step: Any) -> None:
        owner = self._stack.pop()
        count = len(owner.names or ()) if isinstance(owner, _Whole) else len(owner.items)
        if count != step.argval:
            raise _Unknown
        items = [owner.field(place) for place in range(count)] if isinstance(owner, _Whole) else owner.items
        self._stack += reversed(items)

    def _kw_names(self, step: Any) -> None:
        self._keywords = step.argval

    def _call(self, step: Any) -> None:
        keywords, self._keywords = self._keywords, ()
        values = self._taken(step.arg)
        one, other = self._stack.pop(), self._stack.pop()
        function = other if one is _NULL else one
        called = function.value if isinstance(function, _Constant) else None
        if called is Row:  # names come in the order in which they are given
            self._stack.append(_Several(values))
        elif keywords or not (called in _PURE if called is not None else isinstance(function, _Part)):
            self._stack.append(_Part(None))
        else:
            self._stack.append(_Part(_together([function, *values])))

    def _taken(self, count: int) -> list[Any]:
        taken = self._stack[len(self._stack) - count :]
        del self._stack[len(self._stack) - count :]
        return taken
