"""The mapping from Flink's deployment options to Spark's settings."""

import pytest

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.deployment_options import DEPLOYMENT_OPTIONS
from flinkpy_dagster.config.targets import spark_settings, unused_options
from flinkpy_dagster.config.targets.settings import ROWS
from flinkpy_dagster.errors import ConfigurationError

YARN = {"execution.target": "yarn-per-job"}
STANDALONE = {"execution.target": "spark://h:7077"}


def given(options):
    """Without what a cluster has by default."""
    configuration = Configuration.from_dict(options).check()
    target = {key: options[key] for key in options if key in ("execution.target", "spark.master")}
    plain = spark_settings(Configuration.from_dict(target))
    return {key: value for key, value in spark_settings(configuration).items() if plain.get(key) != value}


def test_table_when_read_then_every_deployment_option_has_a_row():
    of_table = {option.key for option in DEPLOYMENT_OPTIONS}
    assert {row.option for row in ROWS} == of_table | {"taskmanager.numberOfTaskSlots"}


def test_settings_when_the_target_is_local_then_there_is_the_master_only():
    assert spark_settings(Configuration.from_dict({"execution.target": "local[3]"})) == {
        "spark.master": "local[3]"
    }


def test_settings_when_a_cluster_is_given_nothing_then_taskmanagers_come_and_go():
    assert spark_settings(Configuration.from_dict(YARN)) == {
        "spark.master": "yarn",
        "spark.dynamicAllocation.enabled": "true",
        "spark.dynamicAllocation.shuffleTracking.enabled": "true",
        "spark.dynamicAllocation.cachedExecutorIdleTimeout": "2147483647s",
        "spark.dynamicAllocation.minExecutors": "0",
        "spark.dynamicAllocation.initialExecutors": "1",
        "spark.dynamicAllocation.executorIdleTimeout": "30s",
        "spark.cleaner.periodicGC.interval": "30s",
        "spark.executor.cores": "1",
        "spark.executor.memory": "512m",
        "spark.executor.memoryOverhead": "1216m",
    }


@pytest.mark.parametrize(
    "fixed",
    [
        {"spark.executor.instances": "2"},
        {"spark.cores.max": "4"},
        {"spark.dynamicAllocation.enabled": "false"},
    ],
)
def test_settings_when_the_user_fixes_the_number_of_executors_then_it_is_not_dynamic(fixed):
    settings = spark_settings(Configuration.from_dict(STANDALONE | fixed))
    assert "spark.dynamicAllocation.enabled" not in settings


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (YARN | {"yarn.application.name": "n", "pipeline.name": "p"}, {"spark.app.name": "n"}),
        (YARN | {"yarn.application.queue": "q"}, {"spark.yarn.queue": "q"}),
        (YARN | {"yarn.tags": "a,b"}, {"spark.yarn.tags": "a,b"}),
        (YARN | {"yarn.application.priority": "3"}, {"spark.yarn.priority": "3"}),
        (YARN | {"yarn.application.priority": "-1"}, {}),
        (YARN | {"yarn.ship-files": "/a;hdfs://n/b"}, {"spark.yarn.dist.files": "/a,hdfs://n/b"}),
        (YARN | {"yarn.ship-archives": "a.zip"}, {"spark.yarn.dist.archives": "a.zip"}),
        (
            YARN | {"yarn.application.node-label": "x", "yarn.taskmanager.node-label": "y"},
            {"spark.yarn.am.nodeLabelExpression": "x", "spark.yarn.executor.nodeLabelExpression": "y"},
        ),
        (
            YARN | {"taskmanager.numberOfTaskSlots": "2", "yarn.containers.vcores": "4"},
            {"spark.executor.cores": "4", "spark.task.cpus": "2"},
        ),
        (YARN | {"yarn.heartbeat.interval": "2"}, {"spark.yarn.scheduler.heartbeat.interval-ms": "2000ms"}),
        (YARN | {"flink.hadoop.dfs.replication": "5"}, {"spark.hadoop.dfs.replication": "5"}),
        (YARN | {"flink.yarn.x.y": "5"}, {"spark.hadoop.yarn.x.y": "5"}),
        (YARN | {"containerized.taskmanager.env.A": "b"}, {"spark.executorEnv.A": "b"}),
        (YARN | {"security.kerberos.login.keytab": "/k"}, {"spark.kerberos.keytab": "/k"}),
        (
            YARN | {"taskmanager.memory.process.size": "8g", "taskmanager.memory.managed.fraction": "0.6"},
            {
                "spark.executor.memory": "2007m",
                "spark.executor.memoryOverhead": "1915m",
                "spark.executor.pyspark.memory": "4270m",
            },
        ),
        (
            STANDALONE | {"jobmanager.memory.process.size": "1600m"},
            {"spark.driver.memory": "1024m", "spark.driver.memoryOverhead": "576m"},
        ),
        (
            STANDALONE | {"slotmanager.number-of-slots.max": "7", "taskmanager.numberOfTaskSlots": "2"},
            {
                "spark.dynamicAllocation.maxExecutors": "3",
                "spark.cores.max": "6",
                "spark.executor.cores": "2",
            },
        ),
        (
            YARN | {"slotmanager.number-of-slots.min": "3", "taskmanager.numberOfTaskSlots": "2",
                    "slotmanager.redundant-taskmanager-num": "1"},
            {
                "spark.dynamicAllocation.minExecutors": "3",
                "spark.dynamicAllocation.initialExecutors": "3",
                "spark.executor.cores": "2",
            },
        ),
        (YARN | {"parallelism.default": "4"}, {"spark.dynamicAllocation.initialExecutors": "4"}),
        (
            YARN | {"resourcemanager.taskmanager-timeout": "1500 ms"},
            {"spark.dynamicAllocation.executorIdleTimeout": "2s", "spark.cleaner.periodicGC.interval": "2s"},
        ),
        (
            YARN | {"env.java.opts.all": "-Da=1", "env.java.opts.taskmanager": "-Db=2"},
            {"spark.driver.extraJavaOptions": "-Da=1", "spark.executor.extraJavaOptions": "-Da=1 -Db=2"},
        ),
    ],
)  # fmt: skip
def test_settings_when_an_option_is_set_then_spark_has_it(options, settings):
    assert given(options) == settings


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            YARN | {"slotmanager.number-of-slots.max": "1", "taskmanager.numberOfTaskSlots": "2"},
            "slotmanager.number-of-slots.max 1 is less than the 2 slots of one TaskManager "
            "(taskmanager.numberOfTaskSlots): raise it, or lower those.",
        ),
        (
            YARN | {"yarn.containers.vcores": "3", "taskmanager.numberOfTaskSlots": "2"},
            "yarn.containers.vcores 3 is no multiple of taskmanager.numberOfTaskSlots 2: a slot is a task of Spark, "
            "which takes whole cores.",
        ),
    ],
)
def test_settings_when_options_contradict_each_other_then_refused(options, sentence):
    with pytest.raises(ConfigurationError) as caught:
        spark_settings(Configuration.from_dict(options))
    assert str(caught.value) == sentence


def test_options_when_the_target_has_no_use_for_them_then_named():
    options = Configuration.from_dict(
        {
            "execution.target": "local[2]",
            "taskmanager.numberOfTaskSlots": "2",
            "jobmanager.memory.process.size": "2g",
            "yarn.application.queue": "q",
            "slotmanager.taskmanager-timeout": "1s",
            "kubernetes.namespce": "n",
            "yarn.flink-dist-jar": "x",
        }
    )
    assert unused_options(options) == [
        "Option 'yarn.application.queue' has no effect on local ('local[2]'): it is for yarn.",
        "Option 'resourcemanager.taskmanager-timeout' has no effect on local ('local[2]'): it is for kubernetes, "
        "standalone, yarn.",
        "Option 'kubernetes.namespce' has no effect here: did you mean 'kubernetes.namespace'?",
        "Option 'yarn.flink-dist-jar' has no effect here: docs/cluster.md has those that there are.",
    ]
