"""Errors thrown into threads from outside, which is all that can end a function that does not listen."""

import ctypes
import threading
from contextlib import suppress


def throw_into(thread: threading.Thread, error: type[BaseException]) -> None:
    """Raise it in that thread, at the next Python instruction that it executes."""
    if thread.ident is not None:
        _set_async_exception(thread.ident, error)


def withdraw_from(thread: threading.Thread) -> None:
    """Take back what was thrown into a thread that never came to execute another Python instruction.

    CPython keeps a flag for the whole process while such an error waits, and clears it only when one is delivered:
    so one is thrown here, and caught. With the flag up, every thread is slow, and one that is traced (a debugger,
    a coverage tool) hangs in CPython 3.11.
    """
    if thread.ident is None:
        return
    _set_async_exception(thread.ident, None)
    with suppress(_Delivered):
        _set_async_exception(threading.get_ident(), _Delivered)
        while True:  # until the next Python instruction
            pass


class _Delivered(BaseException):
    """Thrown and caught by ``withdraw_from``."""


def _set_async_exception(ident: int, error: type[BaseException] | None) -> None:
    what = ctypes.py_object(error) if error is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), what)
