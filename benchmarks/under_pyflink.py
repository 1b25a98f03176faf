"""Runs one contender of a benchmark in PyFlink's virtual environment: ``python -m benchmarks.under_pyflink NAME ...``.

The benchmarks import ``flinkpy_dagster.api``; here that name stands for PyFlink, whose names are the same.
"""

import sys
from importlib import import_module
from types import ModuleType

import cloudpickle
from pyflink.common.typeinfo import TypeInformation

PYFLINK = (
    "pyflink.common",
    "pyflink.common.time",
    "pyflink.common.watermark_strategy",
    "pyflink.datastream",
    "pyflink.datastream.state",
    "pyflink.datastream.window",
)


def install_api() -> None:
    """Makes ``flinkpy_dagster.api`` a module with PyFlink's names; what only we have is None."""
    api = ModuleType("flinkpy_dagster.api")
    for module in map(import_module, PYFLINK):
        vars(api).update({name: value for name, value in vars(module).items() if not name.startswith("_")})
    api.__dict__["ParquetSink"] = None
    sys.modules["flinkpy_dagster"] = ModuleType("flinkpy_dagster")
    sys.modules["flinkpy_dagster.api"] = api


def make_types_picklable() -> None:
    """A type that was used once keeps its Java object, with which it cannot be pickled into a user function."""

    def without_java(type_info: TypeInformation) -> dict:
        return {name: None if name == "_j_typeinfo" else value for name, value in vars(type_info).items()}

    TypeInformation.__getstate__ = without_java


def main(name: str, arguments: list[str]) -> int:
    install_api()
    make_types_picklable()
    module = import_module(f"benchmarks.{name}")
    for program, loaded in list(sys.modules.items()):  # by name, workers would import them with our own API
        if program.startswith(("benchmarks.", "jobs.")):
            cloudpickle.register_pickle_by_value(loaded)
    return import_module("benchmarks.harness").main(module.BENCHMARK, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
