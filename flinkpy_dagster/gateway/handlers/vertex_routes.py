"""Routes about the vertices of a job and their subtasks."""

from typing import Any

from flinkpy_dagster.gateway.answers import job_json, metrics_json, vertex_json
from flinkpy_dagster.gateway.answers.metrics_json import AGGREGATIONS
from flinkpy_dagster.gateway.gateway import Gateway, now_ms
from flinkpy_dagster.gateway.rest.failures import bad_request, not_found
from flinkpy_dagster.gateway.rest.routes import Call, Query, Route
from flinkpy_dagster.gateway.rest.schemas import HEX, INT, STR, arr, obj, word
from flinkpy_dagster.orchestration.dispatcher.details import Attempt, JobDetails, VertexDetails

_GET = Query("get", doc="Names of metrics; none: which there are.", is_list=True)
_ACCUMULATORS = arr(obj({"name": STR, "type": STR, "value": STR}))


def _vertex(gateway: Gateway, call: Call) -> tuple[JobDetails, VertexDetails]:
    details = gateway.details(call.job_id)
    vertex = details.vertex(call.vertex_id)
    if vertex is None:
        raise not_found(f"JobVertex {call.vertex_id} not found")
    return details, vertex


def _subtask(vertex: VertexDetails, call: Call) -> int:
    index = int(call.path["subtaskindex"])
    if index >= vertex.parallelism:
        raise not_found(f"Invalid subtask index for vertex {vertex.id}")
    return index


def _attempt(vertex: VertexDetails, call: Call) -> Attempt:
    number = call.path["attempt"]
    found = next((each for each in vertex.attempts if each.number == number), None)
    if found is None:
        raise not_found(
            f"Attempt {number} not found in subtask {call.path['subtaskindex']} of task {vertex.name}"
        )
    return found


def vertex(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/vertices/{vertexid}``."""
    return vertex_json.vertex_json(*_vertex(gateway, call), now_ms())


def times(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/vertices/{vertexid}/subtasktimes``."""
    return vertex_json.times_json(*_vertex(gateway, call), now_ms())


def task_managers(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/vertices/{vertexid}/taskmanagers``."""
    return vertex_json.vertex_task_managers_json(*_vertex(gateway, call), now_ms())


def back_pressure(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/vertices/{vertexid}/backpressure``."""
    _, found = _vertex(gateway, call)
    return vertex_json.back_pressure_json(found, now_ms())


def flame_graph(gateway: Gateway, call: Call) -> Any:
    """None is taken: Flink, too, answers with the time alone then."""
    _vertex(gateway, call)
    return {"endTimestamp": now_ms()}


def accumulators(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/vertices/{vertexid}/accumulators``."""
    _, found = _vertex(gateway, call)
    return {"id": found.id, "user-accumulators": job_json.accumulators_json(found.accumulators)}


def subtasks_accumulators(gateway: Gateway, call: Call) -> Any:
    """They are kept per vertex, so subtasks have none of their own."""
    details, found = _vertex(gateway, call)
    subtasks = [
        {
            "subtask": each["subtask"],
            "attempt": each["attempt"],
            "endpoint": each["endpoint"],
            "user-accumulators": [],
        }
        for each in vertex_json.vertex_json(details, found, now_ms())["subtasks"]
    ]
    return {"id": found.id, "parallelism": found.parallelism, "subtasks": subtasks}


def attempt_accumulators(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/vertices/{vertexid}/subtasks/{subtaskindex}/attempts/{attempt}/accumulators``."""
    _, found = _vertex(gateway, call)
    index, attempt = _subtask(found, call), _attempt(found, call)
    return {"id": found.id, "subtask": index, "attempt": attempt.number, "user-accumulators": []}


def subtask(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/vertices/{vertexid}/subtasks/{subtaskindex}``."""
    details, found = _vertex(gateway, call)
    return vertex_json.subtask_json(details, found, found.attempt, _subtask(found, call), now_ms())


def attempt(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/vertices/{vertexid}/subtasks/{subtaskindex}/attempts/{attempt}``."""
    details, found = _vertex(gateway, call)
    index = _subtask(found, call)
    return vertex_json.subtask_json(details, found, _attempt(found, call), index, now_ms())


def metrics(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/vertices/{vertexid}/metrics``."""
    _, found = _vertex(gateway, call)
    return metrics_json.chosen(metrics_json.vertex_metrics(found, now_ms()), call.query.get("get"))


def subtask_metrics(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/vertices/{vertexid}/subtasks/{subtaskindex}/metrics``."""
    _, found = _vertex(gateway, call)
    values = metrics_json.subtask_metrics(found, _subtask(found, call), now_ms())
    return metrics_json.chosen(values, call.query.get("get"))


def subtasks_metrics(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/vertices/{vertexid}/subtasks/metrics``."""
    _, found = _vertex(gateway, call)
    chosen = _ranges(call.query.get("subtasks"), found.parallelism)
    each = [metrics_json.subtask_metrics(found, index, now_ms()) for index in chosen]
    return metrics_json.aggregated(each, call.query.get("get"), call.query.get("agg"))


def _ranges(texts: list[str] | None, parallelism: int) -> list[int]:
    """``0,2-4`` as Flink's ``SubtasksFilterQueryParameter``; those that do not exist are left out."""
    if texts is None:
        return list(range(parallelism))
    chosen: set[int] = set()
    for text in texts:
        first, _, last = text.partition("-")
        if not first.isascii() or not first.isdigit() or (last and not (last.isascii() and last.isdigit())):
            raise bad_request(
                "Bad request, could not parse parameters: "
                f'Cannot resolve query parameter (subtasks) from value "{text}".'
            )
        chosen |= set(range(int(first), min(int(last or first), parallelism - 1) + 1))
    return sorted(index for index in chosen if index < parallelism)


def watermarks(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/vertices/{vertexid}/watermarks``: as of the newest epoch; none once the job has ended."""
    details, found = _vertex(gateway, call)
    if details.overview.is_terminal:
        return []
    return metrics_json.watermarks_json(found)


def coordinator_metrics(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/vertices/{vertexid}/jm-operator-metrics``."""
    _vertex(gateway, call)
    return []


_ONE = "/jobs/{jobid}/vertices/{vertexid}"
_SUBTASK = f"{_ONE}/subtasks/{{subtaskindex}}"


def _get(path: str, handler: Any, doc: str, answer: Any, tag: str = "vertices", **more: Any) -> Route:
    return Route(
        method="GET", path=path, handler=handler, doc=doc, answer=answer, tag=tag, refusals=(404,), **more
    )


ROUTES: tuple[Route, ...] = (
    _get(_ONE, vertex, "A vertex with its subtasks.", vertex_json.VERTEX),
    _get(f"{_ONE}/subtasktimes", times, "When they came to each state.", vertex_json.TIMES),
    _get(f"{_ONE}/taskmanagers", task_managers, "Subtasks by executor.", vertex_json.VERTEX_TASK_MANAGERS),
    _get(
        f"{_ONE}/backpressure",
        back_pressure,
        "None; how busy subtasks are.",
        vertex_json.BACK_PRESSURE,
    ),
    _get(
        f"{_ONE}/flamegraph",
        flame_graph,
        "None is taken.",
        obj({"endTimestamp": INT}),
        query=(
            Query("type", word("full", "on_cpu", "off_cpu"), "Of what."),
            Query("subtaskindex", INT | {"minimum": 0, "maximum": 2**31 - 1}, "Of one subtask."),
        ),
    ),
    _get(
        f"{_ONE}/accumulators",
        accumulators,
        "Metrics of its user functions.",
        obj({"id": HEX, "user-accumulators": _ACCUMULATORS}),
    ),
    _get(
        f"{_ONE}/subtasks/accumulators",
        subtasks_accumulators,
        "By subtask.",
        obj(
            {
                "id": HEX,
                "parallelism": INT,
                "subtasks": arr(
                    obj({"subtask": INT, "attempt": INT, "endpoint": STR, "user-accumulators": _ACCUMULATORS})
                ),
            }
        ),
    ),
    _get(
        f"{_ONE}/subtasks/metrics",
        subtasks_metrics,
        "Metrics over subtasks.",
        metrics_json.AGGREGATED,
        "metrics",
        query=(
            _GET,
            Query("agg", word(*AGGREGATIONS), "Aggregations; none: all.", is_list=True),
            Query("subtasks", doc="Of these: 0,2-4; none: all.", is_list=True),
        ),
    ),
    _get(_SUBTASK, subtask, "A subtask in its newest attempt.", vertex_json.SUBTASK),
    _get(
        f"{_SUBTASK}/metrics", subtask_metrics, "Its metrics.", metrics_json.METRICS, "metrics", query=(_GET,)
    ),
    _get(f"{_SUBTASK}/attempts/{{attempt}}", attempt, "A subtask in an attempt.", vertex_json.SUBTASK),
    _get(
        f"{_SUBTASK}/attempts/{{attempt}}/accumulators",
        attempt_accumulators,
        "None: they are kept by vertex.",
        obj({"id": HEX, "subtask": INT, "attempt": INT, "user-accumulators": _ACCUMULATORS}),
    ),
    _get(f"{_ONE}/metrics", metrics, "Metrics by subtask.", metrics_json.METRICS, "metrics", query=(_GET,)),
    _get(f"{_ONE}/watermarks", watermarks, "Event time by subtask, ms.", metrics_json.METRICS, "metrics"),
    _get(
        f"{_ONE}/jm-operator-metrics",
        coordinator_metrics,
        "None.",
        metrics_json.METRICS,
        "metrics",
        query=(_GET,),
    ),
)
