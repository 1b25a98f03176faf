"""Where suites of expectations come from; nothing of Great Expectations is imported before a suite is needed."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from flinkpy_dagster.errors import InvalidProgram

SuiteLike = Any
"""An ``ExpectationSuite``, a list of expectations (objects, or mappings with ``type`` and ``kwargs``), a path of a JSON
or YAML file as Great Expectations' file contexts write it, or a function that gives any of these."""


def suite_of(given: SuiteLike, name: str) -> Any:
    """The ``great_expectations.ExpectationSuite``, without ids. Raises InvalidProgram for what is none."""
    _load_great_expectations()
    from great_expectations import ExpectationSuite

    if isinstance(given, ExpectationSuite):
        return ExpectationSuite(name=given.name, expectations=[_copy(each) for each in given.expectations])
    if callable(given):
        return suite_of(given(), name)
    if isinstance(given, str | Path):
        return suite_of(_read(Path(given)), name)
    if isinstance(given, Mapping):
        return suite_of(given.get("expectations", ()), str(given.get("name", name)))
    if isinstance(given, Sequence) and given:
        return ExpectationSuite(name=name, expectations=[_expectation(each, name) for each in given])
    raise InvalidProgram(
        f"Check '{name}' has no expectations: {given!r} is neither an ExpectationSuite, nor a list of expectations, "
        "nor the path of a JSON or YAML file with a suite, nor a function that gives one of these."
    )


def _load_great_expectations() -> None:
    """Imports it, also in the processes in which Dagster launches runs.

    Their main module has no file. PySpark, whose Spark Connect is looked for by the import, takes such a process for a
    run of its own doctests, and ends it (SystemExit: 0) where a package of Spark Connect is missing.
    """
    main: Any = sys.modules["__main__"]
    if "great_expectations" in sys.modules or main.__spec__ is not None or hasattr(main, "__file__"):
        return
    main.__file__ = "run"
    try:
        import great_expectations  # noqa: F401
    finally:
        del main.__file__


def suite_name(given: SuiteLike, fallback: str) -> str:
    """What a suite is called, as far as that is known without reading or making it."""
    if isinstance(given, str | Path):
        return Path(given).stem
    if isinstance(given, Mapping):
        return str(given.get("name", fallback))
    return str(getattr(given, "name", None) or getattr(given, "__name__", None) or fallback)


def _expectation(given: Any, name: str) -> Any:
    from great_expectations.expectations.expectation_configuration import ExpectationConfiguration

    if not isinstance(given, Mapping):
        return _copy(given)
    kind = str(given.get("type", ""))
    kind = kind if kind.startswith("expect_") else f"expect_{kind}"
    more = {key: given[key] for key in ("severity", "meta", "notes", "description") if given.get(key)}
    try:
        return ExpectationConfiguration(
            type=kind, kwargs=dict(given.get("kwargs", {})), **more
        ).to_domain_obj()
    except Exception as error:  # pydantic's, and Great Expectations' own of several kinds
        raise InvalidProgram(f"Check '{name}' has an expectation '{kind}' that is none: {error}") from error


def _copy(expectation: Any) -> Any:
    """Great Expectations binds an expectation to the suite and the context that it is used in."""
    return expectation.configuration.to_domain_obj()


def _read(path: Path) -> Any:
    try:
        text = path.read_text()
    except OSError as error:
        raise InvalidProgram(f"The suite '{path}' cannot be read: {error.strerror or error}.") from None
    loads: Callable[[str], Any] = json.loads
    if path.suffix in (".yml", ".yaml"):
        loads = import_module("yaml").safe_load
    try:
        return loads(text)
    except ValueError as error:
        raise InvalidProgram(f"The suite '{path}' is no JSON: {error}") from None
