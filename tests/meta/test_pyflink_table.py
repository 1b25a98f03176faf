"""docs/pyflink_api.md says of every public name of PyFlink what becomes of it here, and says what the code says."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "pyflink_api.md"


@pytest.fixture(scope="module")
def surface():
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import pyflink_page  # noqa: F401
        import pyflink_surface

        yield pyflink_surface
    finally:
        sys.path.remove(str(ROOT / "docs"))


def test_page_is_current(surface: Any) -> None:
    page = sys.modules["pyflink_page"].page()
    assert PAGE.read_text(encoding="utf-8") == page, "docs/pyflink_api.md is stale: run make docs"


def test_page_names_everything_that_pyflink_exports(surface: Any) -> None:
    verdicts = [
        verdict
        for module, names in surface.homes().items()
        if module in surface.MODULES
        for name in names
        for verdict in surface.verdicts_of(module, name)
    ]
    supported, others = (
        {v.name for v in verdicts if (v.kind == "supported") is good} for good in (True, False)
    )
    expected = others | {module for module in surface.recorded() if module not in surface.MODULES}
    expected |= {name.rpartition(".")[2] for name in supported}
    words = set(re.findall(r"`([\w.]+)`", PAGE.read_text(encoding="utf-8")))
    assert expected - words == set()


def test_every_recorded_method_of_a_class_that_is_there_has_a_verdict(surface: Any) -> None:
    missing = set()
    for module, names in surface.homes().items():
        for name in names if module in surface.MODULES else ():
            found = surface.verdicts_of(module, name)
            if found[0].kind == "supported":  # else the class stands for its methods
                methods = {
                    f"{name}.{each}" for each in surface.recorded()[module][name] or {} if each != "__init__"
                }
                missing |= methods - {verdict.name for verdict in found}
    assert missing == set()


def test_setting_when_code_begins_to_read_its_key_then_is_not_called_without_effect(
    surface: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surface, "constants_of_engine", frozenset)
    before = kinds_of(surface, "CheckpointConfig")
    monkeypatch.setattr(
        surface, "constants_of_engine", lambda: frozenset(["execution.checkpointing.interval"])
    )
    changed = {name for name, kind in kinds_of(surface, "CheckpointConfig").items() if kind != before[name]}
    assert changed == {"CheckpointConfig.set_checkpoint_interval"}


def test_idle_name_when_code_begins_to_use_it_then_page_cannot_be_written(
    surface: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surface, "words_of_engine", lambda: {"operators/task/task.py": {"buffer_timeout_ms"}})
    with pytest.raises(AssertionError, match=r"set_buffer_timeout .* occurs in operators/task/task\.py"):
        kinds_of(surface, "DataStream")


def kinds_of(surface: Any, name: str) -> dict[str, str]:
    module = next(module for module, names in surface.homes().items() if name in names)
    return {verdict.name: verdict.kind for verdict in surface.verdicts_of(module, name)}
