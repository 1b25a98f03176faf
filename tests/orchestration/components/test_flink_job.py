"""``FlinkJobComponent``: what it makes of YAML, in a project and as ``dg`` scaffolds it."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from dagster import AssetCheckKey, AssetKey
from dagster.components.core.component_tree import ComponentTreeException
from dagster.components.testing import create_defs_folder_sandbox

from flinkpy_dagster import components
from flinkpy_dagster.components import FlinkJobComponent

pytestmark = [
    pytest.mark.dagster,
    pytest.mark.filterwarnings(
        "ignore::dagster_shared.utils.warnings.BetaWarning"
    ),  # of Dagster's code references
]
ROOT = Path(__file__).resolve().parents[3]
TYPE = "flinkpy_dagster.components.FlinkJobComponent"
SUITE = [{"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "f0"}}]


def loaded(attributes: dict):
    """The definitions of a scaffolded component whose YAML has these attributes, too."""
    with create_defs_folder_sandbox() as sandbox:
        path = sandbox.scaffold_component(
            component_cls=FlinkJobComponent,
            defs_path="words",
            defs_yaml_contents={
                "type": TYPE,
                "attributes": {"program": "program.py", "name": "words", **attributes},
            },
        )
        with sandbox.load_component_and_build_defs(defs_path=path) as (component, definitions):
            assert isinstance(component, FlinkJobComponent)
            return definitions


def test_component_when_scaffolded_then_its_program_is_a_job_with_assets() -> None:
    definitions = loaded({})
    keys = {key.to_user_string() for key in definitions.resolve_asset_graph().get_all_asset_keys()}
    assert keys == {"words/collection_source", "words/map", "words/print_to_std_out"}
    assert definitions.resolve_job_def("words_job").name == "words_job"


def test_component_when_everything_is_said_then_it_is_there() -> None:
    definitions = loaded(
        {
            "parallelism": 3,
            "options": {"execution.runtime-mode": "BATCH"},
            "key_prefix": ["shop"],
            "owners": ["team:data"],
            "tags": {"cost": "low"},
            "partitions": {"type": "daily", "start_date": "2013-01-01"},
            "schedule": {"cron": "0 6 * * *", "timezone": "America/New_York"},
            "checks": [{"asset": "words/map", "suite": SUITE, "name": "pairs", "blocking": True}],
        }
    )
    graph = definitions.resolve_asset_graph()
    node = graph.get(AssetKey(["shop", "words", "map"]))
    assert (node.owners, node.metadata["parallelism"]) == (["team:data"], 3)
    assert node.metadata["result_type"] == "BLOCKING"
    assert node.partitions_def.get_first_partition_key() == "2013-01-01"
    assert graph.asset_check_keys == {AssetCheckKey(AssetKey(["shop", "words", "map"]), "pairs")}
    (schedule,) = definitions.schedules
    assert (schedule.cron_schedule, schedule.execution_timezone) == ("0 6 * * *", "America/New_York")
    assert definitions.resolve_job_def("words_job").tags["cost"] == "low"


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"options": {"execution.runtime-mod": "BATCH"}}, "execution.runtime-mode"),
        ({"checks": [{"asset": "words/nothing", "suite": SUITE}]}, "which no program makes"),
        ({"checks": [{"suite": SUITE}]}, "give exactly one"),
        ({"program": "nowhere.py"}, "does not exist"),
    ],
)
def test_component_when_something_is_wrong_then_loading_says_what(attributes: dict, words: str) -> None:
    with pytest.raises(ComponentTreeException) as raised:  # dg says which component it was
        loaded(attributes)
    assert words in str(raised.value.__cause__)


def test_component_when_installed_then_dg_finds_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["dagster_dg_cli.registry_modules"] == {
        "flinkpy_dagster": components.__name__
    }
    assert components.__all__ == ["FlinkJobComponent"]


@pytest.mark.slow
def test_dg_when_it_scaffolds_in_a_project_then_what_it_made_is_valid(tmp_path: Path) -> None:
    source = tmp_path / "src" / "shop"
    (source / "defs").mkdir(parents=True)
    for package in (source, source / "defs"):
        (package / "__init__.py").touch()
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "shop"\nversion = "0"\n[tool.dg]\ndirectory_type = "project"\n'
        '[tool.dg.project]\nroot_module = "shop"\n'
    )
    (source / "definitions.py").write_text(
        "from pathlib import Path\nfrom dagster import definitions, load_from_defs_folder\n\n"
        "@definitions\ndef defs():\n    return load_from_defs_folder(path_within_project=Path(__file__).parent)\n"
    )

    def dg(*words: str) -> str:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(tmp_path / "src"), str(ROOT)]),
            "HOME": str(tmp_path),
            "DAGSTER_DISABLE_TELEMETRY": "1",
        }
        command = [str(Path(sys.executable).with_name("dg")), *words]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    dg("scaffold", "defs", TYPE, "words")
    assert "validated successfully" in dg("check", "yaml")
    assert "words_job" in dg("list", "defs", "--json")
