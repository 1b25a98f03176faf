"""Who may ask: the bearer token, and from which origin a browser may."""

import hmac
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Access:
    """Refuses with 401 what does not have the token; lets everything through without one."""

    def __init__(self, app: ASGIApp, token: str | None):
        self._app = app
        self._expected = f"Bearer {token}".encode() if token is not None else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._expected is None or self._has_token(scope):
            await self._app(scope, receive, send)
            return
        errors = {"errors": ["A bearer token is needed: Authorization: Bearer <flinkpy.gateway.token>."]}
        await JSONResponse(errors, 401, {"WWW-Authenticate": "Bearer"})(scope, receive, send)

    def _has_token(self, scope: Scope) -> bool:
        given = Headers(scope=scope).get("authorization", "").encode("utf-8", "replace")
        return self._expected is not None and hmac.compare_digest(given, self._expected)


class Origins:
    """The CORS headers of Flink's ``web.access-control-allow-origin``; none, and no preflight, without it.

    Without an origin a request that a browser makes for another site's page is refused: a form, which needs no
    preflight, must not be able to upload a program.
    """

    def __init__(self, app: ASGIApp, allowed: str | None):
        self._app, self._allowed = app, allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        is_foreign = origin is not None and origin.partition("://")[2] != headers.get("host")
        if is_foreign and self._allowed not in ("*", origin) and scope["method"] not in ("GET", "HEAD"):
            answer: Response = JSONResponse({"errors": ["Requests from other origins are refused."]}, 403)
            await answer(scope, receive, send)
        elif self._allowed is None:
            await self._app(scope, receive, send)
        elif scope["method"] == "OPTIONS":
            await Response(status_code=200, headers=self._headers())(scope, receive, send)
        else:
            await self._app(scope, receive, self._with_headers(send))

    def _headers(self) -> dict[str, str]:
        return {
            "Access-Control-Allow-Origin": str(self._allowed),
            "Access-Control-Allow-Methods": "GET, POST, PATCH, DELETE",
            "Access-Control-Allow-Headers": "Authorization, Content-Type",
        }

    def _with_headers(self, send: Send) -> Any:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Access-Control-Allow-Origin"] = str(self._allowed)
            await send(message)

        return with_headers
