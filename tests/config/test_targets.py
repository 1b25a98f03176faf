"""Targets: their names, and which cluster a configuration is for."""

import pytest

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.targets import TargetKind, target_of
from flinkpy_dagster.errors import ConfigurationError, TargetUnavailable


@pytest.mark.parametrize(
    ("options", "kind", "master"),
    [
        ({"execution.target": "local[3]"}, TargetKind.LOCAL, "local[3]"),
        ({"execution.target": "local[*]"}, TargetKind.LOCAL, "local[*]"),
        ({"taskmanager.numberOfTaskSlots": "5"}, TargetKind.LOCAL, "local[5]"),
        ({"spark.master": "local[4, 2]"}, TargetKind.LOCAL, "local[4, 2]"),
        ({"execution.target": "local", "spark.master": "spark://a:1"}, TargetKind.STANDALONE, "spark://a:1"),
        ({"execution.target": "spark://a:1,b:2"}, TargetKind.STANDALONE, "spark://a:1,b:2"),
        ({"execution.target": "spark://a:1", "spark.master": "yarn"}, TargetKind.STANDALONE, "spark://a:1"),
        ({"execution.target": "remote", "spark.master": "spark://a:1"}, TargetKind.STANDALONE, "spark://a:1"),
        (
            {"execution.target": "remote", "jobmanager.rpc.address": "h"},
            TargetKind.STANDALONE,
            "spark://h:7077",
        ),
        ({"execution.target": "yarn-per-job"}, TargetKind.YARN, "yarn"),
        ({"execution.target": "yarn-application"}, TargetKind.YARN, "yarn"),
        ({"spark.master": "yarn"}, TargetKind.YARN, "yarn"),
        (
            {"execution.target": "kubernetes-application"},
            TargetKind.KUBERNETES,
            "k8s://https://kubernetes.default.svc:443",
        ),
        (
            {"execution.target": "kubernetes-application", "spark.master": "k8s://https://h:6443"},
            TargetKind.KUBERNETES,
            "k8s://https://h:6443",
        ),
        ({"execution.target": "sc://h:15002"}, TargetKind.CONNECT, "sc://h:15002"),
    ],
)
def test_target_when_options_name_one_then_kind_and_master(options, kind, master):
    target = target_of(Configuration.from_dict(options))
    assert (target.kind, target.master) == (kind, master)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "moon",
            "There is no execution target 'moon': the targets are local, local[N], remote, spark://HOST:PORT, "
            "yarn-per-job, yarn-application, kubernetes-application, k8s://URL, sc://HOST:PORT.",
        ),
        (
            "yarn-session",
            "The execution target 'yarn-session' is not supported: a session is shared through Spark Connect: start "
            "one with flinkpy session start and give its address, sc://HOST:PORT, or run the job on a cluster of its "
            "own with yarn-per-job.",
        ),
        (
            "local-cluster[2,1,1024]",
            "The execution target 'local-cluster[2,1,1024]' is not supported: give local[N], or spark://HOST:PORT of a "
            "started master.",
        ),
    ],
)
def test_target_when_it_is_not_known_then_refused_with_those_that_are(name, sentence):
    with pytest.raises(TargetUnavailable) as caught:
        target_of(Configuration.from_dict({"execution.target": name}))
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"execution.target": "yarn-per-job", "spark.master": "spark://h:1"},
            "execution.target 'yarn-per-job' is yarn, but spark.master 'spark://h:1' is standalone: give one.",
        ),
        (
            {"execution.target": "remote"},
            "execution.target 'remote' does not say which cluster: give spark.master=spark://HOST:PORT, or "
            "jobmanager.rpc.address.",
        ),
    ],
)
def test_target_when_options_do_not_name_one_cluster_then_refused(options, sentence):
    with pytest.raises(ConfigurationError) as caught:
        target_of(Configuration.from_dict(options))
    assert str(caught.value) == sentence
