"""The OpenAPI document, made from the routes' declarations."""

from http import HTTPStatus
from importlib.metadata import version
from typing import Any

from flinkpy_dagster.gateway.rest.routes import PATH_PARAMETERS, Query, Route
from flinkpy_dagster.gateway.rest.schemas import STR, arr, obj

ERRORS = obj({"errors": arr(STR)})


def document(routes: tuple[Route, ...], *, has_token: bool = False) -> dict[str, Any]:
    """OpenAPI 3.1 of the routes, below ``/v1``."""
    paths: dict[str, Any] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, has_token)
    made: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "flinkpy-dagster gateway",
            "description": "Flink's REST API (v1) over the jobs of a Dagster instance.",
            "version": version("flinkpy-dagster"),
        },
        "servers": [{"url": "/v1"}],
        "paths": paths,
        "components": {"schemas": {"Errors": ERRORS}},
    }
    if has_token:
        made["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        made["security"] = [{"token": []}]
    return made


def _operation(route: Route, has_token: bool) -> dict[str, Any]:
    refusals = {HTTPStatus.BAD_REQUEST, *map(HTTPStatus, route.refusals)}
    if route.body is not None or route.files:
        refusals |= {HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNSUPPORTED_MEDIA_TYPE}
    if has_token:
        refusals.add(HTTPStatus.UNAUTHORIZED)
    operation: dict[str, Any] = {
        "summary": route.doc,
        "operationId": _operation_id(route),
        "tags": [route.tag],
        "parameters": [
            *(_parameter(name) for name in route.parameters),
            *map(_query, route.query),
        ],
        "responses": {
            **({str(int(route.status)): _answer(route, route.answer)} if route.answer else {}),
            **{str(int(status)): _refusal(status) for status in sorted(refusals)},
        },
    }
    if (content := _content(route)) is not None:
        operation["requestBody"] = {"required": False, "content": content}
    return operation


def _content(route: Route) -> dict[str, Any] | None:
    content: dict[str, Any] = {}
    if route.body is not None:
        content["application/json"] = {"schema": route.body}
    if route.files:
        fields: dict[str, Any] = {"file?": {"type": "string", "format": "binary"}}
        if route.body is not None:
            fields["request?"] = route.body
        content["multipart/form-data"] = {"schema": obj(fields, is_open=True)}
    return content or None


def _operation_id(route: Route) -> str:
    words = route.path.replace("{", "").replace("}", "").replace("-", "/").split("/")
    return route.method.lower() + "".join(word.capitalize() for word in words if word)


def _parameter(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": PATH_PARAMETERS[name]}


def _query(query: Query) -> dict[str, Any]:
    more = {"schema": arr(query.schema), "style": "form", "explode": False} if query.is_list else {}
    return {"name": query.name, "in": "query", "description": query.doc, "schema": query.schema} | more


def _answer(route: Route, schema: dict[str, Any]) -> dict[str, Any]:
    kind = "text/plain" if route.is_text else "application/json"
    return {"description": HTTPStatus(route.status).phrase, "content": {kind: {"schema": schema}}}


def _refusal(status: HTTPStatus) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Errors"}
    return {"description": status.phrase, "content": {"application/json": {"schema": schema}}}
