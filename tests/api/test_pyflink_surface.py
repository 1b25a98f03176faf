"""The API has PyFlink's public names, methods, parameters and defaults.

``pyflink_public_names.json`` was recorded from PyFlink 2.3: module -> class -> method -> parameters.
"""

import inspect
import json
from importlib import import_module
from pathlib import Path

import pytest

from flinkpy_dagster.api.pyflink_names import INSTEAD, MODULES

PYFLINK = json.loads((Path(__file__).parent / "pyflink_public_names.json").read_text(encoding="utf-8"))

MISSING_NAMES = {"StreamTransformer", "SupportsPreprocessing", "AsyncFunctionDescriptor"}
MISSING_METHODS = {
    "TypeInformation": {"from_internal_type", "need_conversion", "to_internal_type"},
    "FileSink": {"get_transformer"},
    "KafkaSink": {"get_transformer"},
    "CsvSchemaBuilder": {
        "disable_array_element_separator",
        "remove_array_element_separator",
        "set_array_element_separator",
    },
    "ContinuousEventTimeTrigger": {"register_next_fire_timestamp"},
    "ContinuousProcessingTimeTrigger": {"register_next_fire_timestamp"},
}
REFUSED = {
    "EmbeddedRocksDBStateBackend",
    "CustomStateBackend",
    "CustomCheckpointStorage",
    "PredefinedOptions",
    *"FlinkKafkaConsumer FlinkKafkaProducer Semantic".split(),  # of the Kafka connector: they wrap Java classes
}
OTHER_PARAMETERS = {
    # wrap Java objects in PyFlink
    ("Sink", "__init__"),
    ("Source", "__init__"),
    ("SinkFunction", "__init__"),
    ("SourceFunction", "__init__"),
    # refuse every call
    *(
        ("KeyedStream", name)
        for name in "broadcast forward partition_custom rebalance rescale shuffle".split()
    ),
}

CLASSES = [
    pytest.param(module, name, methods, id=f"{module}.{name}")
    for module, names in PYFLINK.items()
    for name, methods in names.items()
    if module in MODULES and name not in MISSING_NAMES | REFUSED
]


@pytest.mark.parametrize("module", sorted(PYFLINK))
def test_module_of_pyflink_is_there_or_says_what_to_use_instead(module):
    assert module in MODULES or module in INSTEAD


@pytest.mark.parametrize(("module", "name", "methods"), CLASSES)
def test_class_of_pyflink_has_its_methods_with_their_parameters(module, name, methods):
    source, _, attribute = MODULES[module][name].partition(":")
    ours = getattr(import_module(source), attribute)
    for method, parameters in (methods or {}).items():
        if method in MISSING_METHODS.get(name, ()):
            assert not hasattr(ours, method)
        elif (name, method) not in OTHER_PARAMETERS and getattr(ours, method) is not object.__init__:
            assert (method, parameters_of(getattr(ours, method))) == (method, parameters)


def parameters_of(function):
    """``a, b=None, *c`` as recorded."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    texts = []
    for parameter in inspect.signature(function).parameters.values():
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        texts.append(stars.get(parameter.kind, "") + parameter.name + default)
    return ", ".join(text for text in texts if text != "self")
