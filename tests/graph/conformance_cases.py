"""The cases of the conformance corpus that have plans, and how two plans are compared."""

import importlib.util
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from flinkpy_dagster.api.capturing import plans_of
from flinkpy_dagster.api.environment import StreamExecutionEnvironment
from flinkpy_dagster.api.pyflink_names import MODULES
from flinkpy_dagster.config import Configuration

CONFORMANCE = Path(__file__).parents[1] / "conformance"
GOLDEN = Path(__file__).parents[1] / "golden"


def _module(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ASPECTS = _module("check_plans", CONFORMANCE / "check_plans.py").ASPECTS


def cases_with_plans(root: Path) -> list[str]:
    """Names of the cases below ``root`` that Flink made a plan for."""
    return [
        path.stem
        for path in sorted((root / "expected").glob("*.json"))
        if expected(root, path.stem).get("job_vertices")
    ]


def expected(root: Path, name: str) -> dict[str, Any]:
    """Flink's answer."""
    return json.loads((root / "expected" / f"{name}.json").read_text(encoding="utf-8"))


def plans(root: Path, name: str, is_fused: bool = True) -> dict[str, Any]:
    """Our plans for a case's ``build(env)``."""
    with pyflink_names():
        program = _module(f"case_{name}", root / "programs" / f"{name}.py")
        configuration = Configuration.from_dict(getattr(program, "CONFIGURATION", {}))
        configuration.set_boolean("python.operator-chaining.enabled", is_fused)
        environment = StreamExecutionEnvironment.get_execution_environment(configuration)
        streams = program.build(environment)
    result = plans_of(environment)
    result["result_types"] = [stream.get_type().describe() for stream in streams]
    return result


@contextmanager
def pyflink_names() -> Iterator[None]:
    """``import pyflink`` means this package inside of the block."""
    modules = {name: _alias(name, names) for name, names in MODULES.items()}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name in modules:
            del sys.modules[name]


def _alias(name: str, names: dict[str, str]) -> ModuleType:
    module = ModuleType(name)
    module.__path__ = []
    for attribute, place in names.items():
        source, _, original = place.partition(":")
        setattr(module, attribute, getattr(import_module(source), original))
    return module


def differences(want: dict[str, Any], have: dict[str, Any]) -> list[str]:
    """What differs, aspect by aspect."""
    found = []
    for aspect, view in ASPECTS:
        wanted, there = view(want), view(have)
        if wanted != there:
            missing, unexpected = list((wanted - there).elements()), list((there - wanted).elements())
            found.append(f"{aspect}: missing {missing}; unexpected {unexpected}")
    return found
