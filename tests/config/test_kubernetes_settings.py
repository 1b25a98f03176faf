"""What Kubernetes is asked for, against golden files. No Kubernetes has run it."""

import json
from pathlib import Path

import pytest

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.targets import executor_template, run_tags, spark_settings, unused_options
from flinkpy_dagster.errors import ConfigurationError

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "kubernetes.json").read_text(encoding="utf-8"))
KUBERNETES = {"execution.target": "kubernetes-application", "kubernetes.container.image.ref": "i"}


@pytest.mark.parametrize("case", GOLDEN, ids=[case["name"] for case in GOLDEN])
def test_kubernetes_when_asked_for_pods_then_settings_templates_and_tags_are_those(case):
    configuration = Configuration.from_dict(case["options"]).check()
    assert spark_settings(configuration) == case["spark"]
    assert executor_template(configuration) == case["pod_template"]
    assert {key: json.loads(tag) for key, tag in run_tags(configuration).items()} == case["run_tags"]
    assert unused_options(configuration) == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"kubernetes.hostnetwork.enabled": "true", "kubernetes.pod-template-file": "t.yaml"},
            "'spec.hostNetwork' of TaskManagers is given by an option and there is a pod template: put it into the "
            "template (kubernetes.pod-template-file.taskmanager), Spark takes one.",
        ),
        (
            {"kubernetes.taskmanager.tolerations": "key:k,operater:Exists"},
            "'operater' of option 'kubernetes.taskmanager.tolerations' is unknown: in 'key:k,operater:Exists' there "
            "may be key, operator, value, effect, tolerationSeconds.",
        ),
        (
            {"kubernetes.env.secretKeyRef": "env:A,secret:s"},
            "kubernetes.env.secretKeyRef 'env:A,secret:s' must say env, secret and key of each variable.",
        ),
    ],
)
def test_kubernetes_when_options_cannot_be_then_refused(options, sentence):
    with pytest.raises(ConfigurationError) as caught:
        spark_settings(Configuration.from_dict(KUBERNETES | options))
    assert str(caught.value) == sentence
