"""The Starlette application: requests become Calls, what handlers return becomes answers.

One of the three places that catch broadly.
"""

import json
import logging
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route as StarletteRoute

from flinkpy_dagster.gateway.gateway import Gateway
from flinkpy_dagster.gateway.handlers import (
    cluster_routes,
    job_routes,
    log_routes,
    operation_routes,
    program_routes,
    vertex_routes,
)
from flinkpy_dagster.gateway.programs.uploads import taken
from flinkpy_dagster.gateway.rest import recent_log
from flinkpy_dagster.gateway.rest.failures import RestError, answer_to, bad_request
from flinkpy_dagster.gateway.rest.routes import Call, Reply, Route, path_values, query_values
from flinkpy_dagster.gateway.rest.schemas import problem
from flinkpy_dagster.gateway.serving.access import Access, Origins
from flinkpy_dagster.gateway.serving.dashboard import Dashboard, open_dashboard
from flinkpy_dagster.gateway.serving.openapi import document
from flinkpy_dagster.gateway.settings import GatewaySettings

ROUTES: tuple[Route, ...] = (
    *cluster_routes.ROUTES,
    *job_routes.ROUTES,
    *vertex_routes.ROUTES,
    *operation_routes.ROUTES,
    *log_routes.ROUTES,
    *program_routes.ROUTES,
)
_VERSION = "/v1"
log = logging.getLogger(__name__)


def gateway_app(instance: Any, settings: GatewaySettings) -> Starlette:
    """The application, over a Dagster instance. Raises ConfigurationError if its dashboard cannot be found."""
    recent_log.listen()
    log.info("gateway started over the instance in %s", instance.root_directory)
    gateway = Gateway(instance, settings)
    dashboard = open_dashboard(settings.dashboard) if settings.dashboard is not None else None
    by_path: dict[str, dict[str, Route]] = {}
    for route in ROUTES:
        by_path.setdefault(route.path, {})[route.method] = route
    ordered = sorted(by_path, key=lambda path: path.count("{"))  # what is written out goes before a parameter
    endpoints = [
        StarletteRoute(prefix + path, _endpoint(gateway, by_path[path]), methods=sorted(by_path[path]))
        for path in ordered
        for prefix in ("", _VERSION)
    ]
    openapi = document(ROUTES, has_token=settings.token is not None)
    shown = StarletteRoute("/openapi.json", lambda request: JSONResponse(openapi))
    rest = StarletteRoute("/{path:path}", _static(dashboard), methods=["GET"])
    return Starlette(
        routes=[*endpoints, shown, rest],
        middleware=[
            Middleware(Origins, allowed=settings.allow_origin),
            Middleware(Access, token=settings.token),
        ],
        exception_handlers={HTTPException: _refused, Exception: _failed(settings)},
    )


def _endpoint(gateway: Gateway, routes: dict[str, Route]) -> Any:
    async def endpoint(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        try:
            answer = await _answered(gateway, routes[method], request)
        except ClientDisconnect:
            answer = Response(status_code=HTTPStatus.BAD_REQUEST)
        except Exception as error:
            answer = answer_to(error, with_traceback=gateway.settings.with_tracebacks)
        if method != "GET":
            log.info("%s %r: %d", method, request.url.path, answer.status_code)
        return answer

    return endpoint


async def _answered(gateway: Gateway, route: Route, request: Request) -> Response:
    path = path_values(request.path_params)
    query = query_values(route.query, request.query_params.multi_items())
    origin = f"{request.url.scheme}://{request.url.netloc}"
    content_type = request.headers.get("content-type", "")
    body = _bounded(request, gateway.settings.max_content_bytes)
    if route.files and content_type.startswith("multipart/form-data"):
        folder = gateway.settings.upload_dir
        try:
            async with taken(body, content_type, folder, most_files=route.files) as (parts, value):
                checked = _checked(route, value)
                call = Call(path=path, query=query, body=checked, parts=parts, origin=origin)
                return _response(route, await run_in_threadpool(route.handler, gateway, call))
        except ValueError:
            raise _unexpected(route) from None
    value = await _json(route, body, content_type) if route.body is not None else {}
    call = Call(path=path, query=query, body=value, origin=origin)
    return _response(route, await run_in_threadpool(route.handler, gateway, call))


async def _bounded(request: Request, most: int) -> AsyncIterator[bytes]:
    """The body, piece by piece. Raises RestError 413 when it is larger."""
    taken_bytes = 0
    async for chunk in request.stream():
        taken_bytes += len(chunk)
        if taken_bytes > most:
            raise RestError(413, f"The body is larger than {most} bytes (rest.server.max-content-length).")
        yield chunk


async def _json(route: Route, body: AsyncIterator[bytes], content_type: str) -> dict[str, Any]:
    data = b"".join([chunk async for chunk in body])
    if not data.strip():
        return {}
    if content_type and "json" not in content_type and not content_type.startswith("text/plain"):
        raise RestError(415, f"{route.body_name} must be application/json.")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise _unexpected(route) from None
    return _checked(route, value)


def _checked(route: Route, value: Any) -> dict[str, Any]:
    if route.body is not None and (found := problem(route.body, value)) is not None:
        raise bad_request(f"Request did not match expected format {route.body_name}: {found}.")
    checked: dict[str, Any] = value
    return checked


def _unexpected(route: Route) -> RestError:
    return bad_request(f"Request did not match expected format {route.body_name}.")


def _response(route: Route, answer: Any) -> Response:
    if isinstance(answer, Reply) and answer.is_text:
        return PlainTextResponse(answer.content, answer.status)
    if isinstance(answer, Reply):
        return JSONResponse(answer.content, answer.status)
    return JSONResponse(answer, route.status)


def _static(dashboard: Dashboard | None) -> Any:
    async def static(request: Request) -> Response:
        path = request.path_params["path"]
        found = await run_in_threadpool(dashboard.file, path) if dashboard is not None else None
        if found is None:
            return JSONResponse({"errors": [f"Unable to load requested file /{path}."]}, HTTPStatus.NOT_FOUND)
        content, kind = found
        return Response(content, media_type=kind)

    return static


async def _refused(request: Request, error: Exception) -> Response:
    """What Starlette itself refuses. Flink answers a wrong method with 404."""
    assert isinstance(error, HTTPException)
    status = HTTPStatus.NOT_FOUND if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED else error.status_code
    text = f"Not found: {request.url.path}" if status == HTTPStatus.NOT_FOUND else error.detail
    return JSONResponse({"errors": [text]}, status)


def _failed(settings: GatewaySettings) -> Any:
    async def failed(request: Request, error: Exception) -> Response:
        return answer_to(error, with_traceback=settings.with_tracebacks)

    return failed
