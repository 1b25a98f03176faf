"""Configuration: PyFlink's methods, typed reading, and what it says about wrong keys and values."""

import copy
import pickle
from datetime import timedelta
from pathlib import Path

import pytest

from flinkpy_dagster import config
from flinkpy_dagster.config import OPTIONS, Configuration
from flinkpy_dagster.config.job_options import JOB_OPTIONS
from flinkpy_dagster.config.option import NO_EFFECT
from flinkpy_dagster.errors import ConfigurationError


def test_set_and_get_when_typed_give_text_as_flink_does():
    configuration = (
        Configuration().set_integer("a", 5).set_boolean("b", True).set_float("c", 1.5).set_string("d", "x")
    )
    assert configuration.to_dict() == {"a": "5", "b": "true", "c": "1.5", "d": "x"}
    assert configuration.get_integer("a", 0) == 5
    assert configuration.get_boolean("b", False) is True
    assert configuration.get_float("c", 0) == 1.5
    assert configuration.get_string("a", "") == "5"


def test_get_when_not_set_gives_the_default():
    configuration = Configuration()
    assert configuration.get_string("a", None) is None
    assert configuration.get_integer("a", 3) == 3
    assert configuration.get_bytearray("a", bytearray(b"z")) == bytearray(b"z")
    assert configuration.get("pipeline.auto-watermark-interval") == timedelta(milliseconds=200)
    assert configuration.get("pipeline.name", "mine") == "mine"


def test_get_bytearray_when_set_gives_the_bytes():
    assert Configuration().set_bytearray("a", bytearray(b"xy")).get_bytearray("a", bytearray()) == bytearray(
        b"xy"
    )


def test_get_integer_when_text_is_no_number_then_names_the_key():
    with pytest.raises(ConfigurationError) as caught:
        Configuration().set_string("a", "x").get_integer("a", 0)
    assert str(caught.value) == "Could not parse value 'x' for key 'a': a whole number is needed."


def test_add_all_when_prefixed_then_keys_carry_the_prefix():
    configuration = Configuration().add_all(Configuration.from_dict({"a": 1}), "p.")
    assert configuration.to_dict() == {"p.a": "1"}
    assert configuration.remove_config("p.a")
    assert not configuration.remove_config("p.a")
    assert configuration.key_set() == set()


def test_copies_when_changed_leave_the_original():
    original = Configuration.from_dict({"a": "1"})
    for other in (Configuration(original), copy.deepcopy(original), pickle.loads(pickle.dumps(original))):
        assert other == original
        assert hash(other) == hash(original)
        other.set_string("a", "2")
        assert original.get_string("a", None) == "1"


def test_from_pairs_when_good_gives_typed_values():
    configuration = Configuration.from_pairs(
        [
            "parallelism.default=3",
            "pipeline.name = a=b",
            "execution.runtime-mode=batch",
            "spark.ui.enabled=true",
        ]
    )
    assert configuration.get("parallelism.default") == 3
    assert configuration.get("pipeline.name") == "a=b"
    assert configuration.get("execution.runtime-mode") == "BATCH"
    assert configuration.get_boolean("spark.ui.enabled", False)


@pytest.mark.parametrize(
    ("pair", "sentence"),
    [
        (
            "paralelism.default=1",
            "There is no option 'paralelism.default': did you mean 'parallelism.default'?",
        ),
        ("pipeline.nme=x", "There is no option 'pipeline.nme': did you mean 'pipeline.name'?"),
        (
            "parallelism.default=0",
            "Could not parse value '0' for key 'parallelism.default': it must be at least 1.",
        ),
        (
            "pipeline.max-parallelism=40000",
            "Could not parse value '40000' for key 'pipeline.max-parallelism': it must be at most 32768.",
        ),
        (
            "execution.attached=yes",
            "Could not parse value 'yes' for key 'execution.attached': it must be true or false.",
        ),
        (
            "flinkpy.state-cache.size=9 lb",
            "Could not parse value '9 lb' for key 'flinkpy.state-cache.size': "
            "a memory size such as '64 mb' or '2 g' is needed.",
        ),
        (
            "execution.runtime-mode=x",
            "Could not parse value 'x' for key 'execution.runtime-mode': "
            "it must be one of STREAMING, BATCH, AUTOMATIC.",
        ),
        ("nonsense", "'nonsense' is not of the form key=value."),
        ("zzz=1", "There is no option 'zzz': docs/options.md has them all."),
    ],
)
def test_from_pairs_when_wrong_says_what_and_what_to_do(pair, sentence):
    with pytest.raises(ConfigurationError) as caught:
        Configuration.from_pairs([pair])
    assert str(caught.value) == sentence


def test_get_when_key_is_unknown_names_the_neighbour():
    with pytest.raises(ConfigurationError, match="did you mean 'pipeline.name'"):
        Configuration().get("pipeline.nam")


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.key)
def test_every_option_has_a_default_of_its_type_and_one_sentence(option):
    assert option.doc.endswith(".")
    assert option.doc[0].isupper()
    if option.default is not None:
        assert isinstance(option.default, option.type.python_type)
        assert option.type.parse(option.default_text) == option.default


def test_keys_are_unique():
    keys = [option.key for option in OPTIONS]
    assert len(keys) == len(set(keys))


def test_option_that_nobody_reads_says_that_it_has_no_effect():
    folder = Path(config.__file__).parent
    code = "".join(
        path.read_text(encoding="utf-8")
        for path in folder.parent.rglob("*.py")
        if (folder not in path.parents or path.name == "slots.py")
        and path.name != "environment_settings.py"  # which only sets them
    )
    unread = [option.key for option in JOB_OPTIONS if f'"{option.key}"' not in code]
    assert [key for key in unread if not doc_of(key).startswith(NO_EFFECT)] == []


def doc_of(key):
    return next(option.doc for option in JOB_OPTIONS if option.key == key)
