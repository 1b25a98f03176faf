"""The SparkSession of a user's resource: dagster-pyspark's, or any that has one or is one."""

from collections.abc import Callable, Mapping
from typing import Any

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import InvalidProgram

PYSPARK = "pyspark"
"""The resource that is asked for if no other is named."""

_NAMES = ("spark_session", "session", "spark", "get_session")


def spark_resource_of(resources: Mapping[str, Any], named: str | None) -> str | None:
    """The key of the resource that gives the session; None: there is none, a session of our own is started.

    Raises InvalidProgram for a name that no resource has.
    """
    if named is None:
        return PYSPARK if PYSPARK in resources else None
    if named not in resources:
        raise InvalidProgram(
            f"spark_resource is '{named}', but there is no such resource: there are "
            f"{', '.join(map(repr, resources)) or 'none'}."
        )
    return named


def session_getter(resource: Any, name: str) -> Callable[[], Any]:
    """What gives the session when it is asked for, not before: a lazy resource starts Spark then.

    ``resource`` is a SparkSession, has one as ``spark_session``, ``session`` or ``spark`` (dagster-pyspark's three
    classes: the first), gives one with a method of such a name or ``get_session()``, or is a function that does.
    """

    def session() -> Any:
        if _is_session(resource):
            return resource
        for each in _NAMES:
            if hasattr(type(resource), each) or each in getattr(resource, "__dict__", {}):
                found = _called(getattr(resource, each))
                if _is_session(found):
                    return found
        if callable(resource) and _is_session(found := resource()):
            return found
        raise InvalidProgram(
            f"Resource '{name}' gives no SparkSession: {type(resource).__name__} is none and has none as "
            f"{', '.join(_NAMES[:-1])} or get_session(); use dagster-pyspark's PySparkResource."
        )

    return session


def session_of(name: str | None) -> Callable[[Any], Any]:
    """For ops and checks: gives the session of the resource of that name, or else one of our own, by their context."""

    def session(context: Any) -> Any:
        if name is None:
            from flinkpy_dagster.orchestration.job.spark_side import SessionStart

            return SessionStart(Configuration()).session()
        return session_getter(getattr(context.resources, name), name)()

    return session


def _called(found: Any) -> Any:
    return found() if callable(found) and not _is_session(found) else found


def _is_session(found: Any) -> bool:
    """Without importing pyspark."""
    return hasattr(type(found), "sparkContext") and hasattr(type(found), "createDataFrame")
