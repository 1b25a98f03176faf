"""``import pyflink`` under ``flinkpy run``: our API, or an ImportError that says what to use."""

import importlib
import subprocess
import sys

import pytest

from flinkpy_dagster.api.pyflink_names import MODULES
from flinkpy_dagster.programs import pyflink_alias


@pytest.fixture(autouse=True)
def alias():
    pyflink_alias.install()
    yield
    pyflink_alias.uninstall()


def test_import_when_aliased_gives_our_classes():
    from pyflink.common import Types
    from pyflink.datastream import StreamExecutionEnvironment
    from pyflink.datastream.functions import MapFunction

    from flinkpy_dagster import api

    assert (Types, StreamExecutionEnvironment, MapFunction) == (
        api.Types,
        api.StreamExecutionEnvironment,
        api.MapFunction,
    )


@pytest.mark.parametrize("module", sorted(MODULES))
def test_every_name_of_the_table_exists(module):
    alias = importlib.import_module(module)
    assert [name for name in MODULES[module] if not hasattr(alias, name)] == []


def test_attributes_when_only_the_root_is_imported_are_reached_by_import():
    import pyflink.datastream.state

    assert pyflink.datastream.state.ValueStateDescriptor


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("import pyflink.table", "pyflink.table"),
        ("from pyflink.table import StreamTableEnvironment", "pyflink.table"),
        ("from pyflink import table", "pyflink.table"),
        ("from pyflink.datastream import FancyStream", "pyflink.datastream.FancyStream"),
        (
            "from pyflink.datastream.connectors.pulsar import PulsarSource",
            "pyflink.datastream.connectors.pulsar",
        ),
        ("import pyflink.nonsense", "pyflink.nonsense"),
    ],
)
def test_import_when_missing_names_it_and_what_there_is_instead(statement, name):
    with pytest.raises(ImportError) as caught:
        exec(statement, {})
    sentence, _, hint = str(caught.value).partition(": ")
    assert sentence == f"flinkpy-dagster does not have {name}"
    assert len(hint) > 20


@pytest.mark.parametrize(
    ("statement", "meant"),
    [
        (
            "from pyflink.datastream import StreamExecutionEnviroment",
            "pyflink.datastream.StreamExecutionEnvironment",
        ),
        ("from pyflink.datastream import Types", "pyflink.common.Types"),
        ("from pyflink.common import KeyedProcessFunction", "pyflink.datastream.KeyedProcessFunction"),
    ],
)
def test_import_when_the_name_is_almost_right_or_elsewhere_says_which_is_meant(statement, meant):
    with pytest.raises(ImportError, match=f": did you mean {meant}\\?$"):
        exec(statement, {})


def test_attribute_when_missing_is_an_ordinary_attribute_error():
    import pyflink.datastream

    assert not hasattr(pyflink.datastream, "FancyStream")


def test_install_when_done_twice_is_done_once():
    before = list(sys.meta_path)
    pyflink_alias.install()
    assert sys.meta_path == before


def test_install_when_nobody_imports_pyflink_loads_nothing():
    program = (
        "import sys; from flinkpy_dagster.programs import pyflink_alias; pyflink_alias.install();"
        "import json; print([name for name in sys.modules if name.startswith('flinkpy_dagster.api')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
