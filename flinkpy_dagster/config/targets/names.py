"""Which kind of cluster a configuration names: ``execution.target``, ``-t`` and ``spark.master`` in one vocabulary.

Source: Flink's ``DeploymentOptions.TARGET``, ``YarnDeploymentTarget``, ``KubernetesDeploymentTarget`` and the names of
its pipeline executors; ``yarn-per-job`` is Flink 1's, which ran each job on a cluster of its own as we do.
"""

import re
from dataclasses import dataclass
from enum import Enum

from flinkpy_dagster.config.configuration import Configuration
from flinkpy_dagster.config.slots import slots_of_this_machine
from flinkpy_dagster.errors import ConfigurationError, TargetUnavailable


class TargetKind(Enum):
    """What starts the TaskManagers. The value is the word for it in docs and messages."""

    LOCAL = "local"
    STANDALONE = "standalone"
    YARN = "yarn"
    KUBERNETES = "kubernetes"
    CONNECT = "connect"


CLUSTERS = frozenset({TargetKind.STANDALONE, TargetKind.YARN, TargetKind.KUBERNETES})
"""Those on which an application asks for executors of its own."""

ACTIVE = frozenset({TargetKind.YARN, TargetKind.KUBERNETES})
"""Those whose resource manager starts containers on demand: Flink's active resource providers."""


@dataclass(frozen=True, slots=True)
class Target:
    """``name`` as it was given; ``master`` is Spark's URL of it (``sc://...`` for Spark Connect)."""

    name: str
    kind: TargetKind
    master: str


VALID_TARGETS = (
    "local, local[N], remote, spark://HOST:PORT, yarn-per-job, yarn-application, kubernetes-application, "
    "k8s://URL, sc://HOST:PORT"
)

IN_CLUSTER_MASTER = "k8s://https://kubernetes.default.svc:443"
"""Kubernetes' API as every pod sees it, where the JobManager runs in one."""

_MASTERS = {
    TargetKind.LOCAL: re.compile(r"local(\[(\d+|\*)(\s*,\s*\d+)?\])?"),
    TargetKind.STANDALONE: re.compile(r"spark://\S+"),
    TargetKind.YARN: re.compile(r"yarn"),
    TargetKind.KUBERNETES: re.compile(r"k8s://\S+"),
    TargetKind.CONNECT: re.compile(r"sc://\S+"),
}

_NAMES = {
    "remote": TargetKind.STANDALONE,
    "yarn-per-job": TargetKind.YARN,
    "yarn-application": TargetKind.YARN,
    "kubernetes-application": TargetKind.KUBERNETES,
}
"""Flink's names that are no URL of a Spark master."""

_SESSION = (
    "a session is shared through Spark Connect: start one with flinkpy session start and give its address, "
    "sc://HOST:PORT, or run the job on a cluster of its own with {instead}."
)
_REFUSED = {
    "yarn-session": _SESSION.format(instead="yarn-per-job"),
    "kubernetes-session": _SESSION.format(instead="kubernetes-application"),
    "yarn-cluster": "give yarn-per-job, which is what Flink 1's -m yarn-cluster did.",
    "local-cluster": "give local[N], or spark://HOST:PORT of a started master.",
}


def kind_of(name: str) -> TargetKind | None:
    """The kind that a target's name or a Spark master stands for; None if it is neither."""
    if name in _NAMES:
        return _NAMES[name]
    return next((kind for kind, pattern in _MASTERS.items() if pattern.fullmatch(name)), None)


def check_target(name: str) -> TargetKind:
    """Its kind. Raises TargetUnavailable for a name that there is not, with those that there are."""
    kind = kind_of(name)
    if kind is not None:
        return kind
    refused = _REFUSED.get(name, _REFUSED["local-cluster"] if name.startswith("local-cluster[") else None)
    if refused is not None:
        raise TargetUnavailable(f"The execution target '{name}' is not supported: {refused}")
    raise TargetUnavailable(f"There is no execution target '{name}': the targets are {VALID_TARGETS}.")


def target_of(configuration: Configuration) -> Target:
    """The target that ``execution.target`` and ``spark.master`` name.

    A URL in ``execution.target`` wins; where a name is given (``local``, the default, ``yarn-per-job``),
    ``spark.master`` says which cluster of that kind, or of any kind for ``local``. Raises TargetUnavailable for an
    unknown name, ConfigurationError where both are given and do not agree.
    """
    name: str = configuration.get("execution.target")
    kind = check_target(name)
    given = configuration.get_string("spark.master", None)
    if given is None or (name not in _NAMES and name != "local"):
        return Target(name, kind, _master(name, kind, configuration))
    given_kind = check_target(given)
    if name == "local":
        return Target(given, given_kind, _master(given, given_kind, configuration))
    if given_kind is not kind:
        raise ConfigurationError(
            f"execution.target '{name}' is {kind.value}, but spark.master '{given}' is {given_kind.value}: give one."
        )
    return Target(name, kind, given)


def _master(name: str, kind: TargetKind, configuration: Configuration) -> str:
    if kind is TargetKind.YARN:
        return "yarn"
    if name == "local":
        return f"local[{slots_of_this_machine(configuration)}]"
    if name == "kubernetes-application":
        return IN_CLUSTER_MASTER
    if name == "remote":
        return _standalone_master(configuration)
    return name


def _standalone_master(configuration: Configuration) -> str:
    """Flink's ``remote`` finds its cluster by ``jobmanager.rpc.address``; Spark's master is such an address."""
    host = configuration.get_string("jobmanager.rpc.address", None)
    if host is None:
        raise ConfigurationError(
            "execution.target 'remote' does not say which cluster: give spark.master=spark://HOST:PORT, or "
            "jobmanager.rpc.address."
        )
    return f"spark://{host}:{configuration.get_string('jobmanager.rpc.port', '7077')}"
