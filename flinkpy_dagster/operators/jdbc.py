"""What is written for JDBC, for Python's drivers: URLs and statements with question marks."""

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from flinkpy_dagster.errors import InvalidProgram, UnsupportedFeature

_QUOTED_OR_MARK = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | (?P<dollar>\$\w*\$).*?(?P=dollar) | --[^\n]* | /\*.*?\*/ | \?\? | \?""",
    re.VERBOSE | re.DOTALL,
)
_AS_IT_IS = {
    "user": "user",
    "password": "password",
    "sslmode": "sslmode",
    "sslrootcert": "sslrootcert",
    "sslcert": "sslcert",
    "sslkey": "sslkey",
    "ApplicationName": "application_name",
    "connectTimeout": "connect_timeout",
    "targetServerType": "target_session_attrs",
}
_SERVERS = {"any": "any", "primary": "primary", "master": "primary", "secondary": "standby"}
_OF_THE_DRIVER_ONLY = (
    "reWriteBatchedInserts",
    "prepareThreshold",
    "stringtype",
    "tcpKeepAlive",
    "loggerLevel",
)


@dataclass(frozen=True, slots=True)
class JdbcAddress:
    """``kind``: "postgresql" or "sqlite". ``place``: what its driver calls the database; ``settings`` likewise."""

    kind: str
    place: str
    settings: dict[str, str]


def address_of(url: str) -> JdbcAddress:
    """What a JDBC URL says. Raises InvalidProgram, and UnsupportedFeature for databases that are not known here."""
    prefix, _, rest = url.partition(":")
    kind, _, place = rest.partition(":")
    if prefix != "jdbc" or not place:
        raise InvalidProgram(f"A JDBC URL is written jdbc:postgresql://host:5432/database, not '{url}'.")
    if kind == "sqlite":
        return JdbcAddress(kind, place, {})
    if kind != "postgresql":
        raise UnsupportedFeature(
            f"JdbcSink for '{kind}'",
            "it knows jdbc:postgresql and jdbc:sqlite; write with sink_to(TableSink(lambda dataframe: "
            "dataframe.write.jdbc(...))) and the driver's jar in spark.jars, or with ForeachSink(writer, key).",
        )
    return _postgresql(url, place)


def _postgresql(url: str, place: str) -> JdbcAddress:
    parts = urlsplit(place)
    settings: dict[str, str] = {}
    for key, value in parse_qsl(parts.query, keep_blank_values=True):
        if key == "currentSchema":
            settings["options"] = f"-csearch_path={value}"
        elif key == "ssl":
            settings.setdefault("sslmode", "verify-full" if value in ("", "true") else "prefer")
        elif key in _AS_IT_IS:
            settings[_AS_IT_IS[key]] = _SERVERS.get(value, value) if key == "targetServerType" else value
        elif key not in _OF_THE_DRIVER_ONLY:
            known = ", ".join(sorted([*_AS_IT_IS, "currentSchema", "ssl"]))
            raise InvalidProgram(f"The JDBC URL '{url.partition('?')[0]}' has '{key}'; known are {known}.")
    return JdbcAddress(
        "postgresql", f"postgresql://{parts.netloc}/{unquote(parts.path.lstrip('/'))}", settings
    )


def statement_parts(statement: str) -> list[str]:
    """The text between the question marks that stand for values; ``??`` is a question mark, as in JDBC."""
    parts = [""]
    end = 0
    for found in _QUOTED_OR_MARK.finditer(statement):
        parts[-1] += statement[end : found.start()]
        end = found.end()
        if found[0] == "?":
            parts.append("")
        else:
            parts[-1] += "?" if found[0] == "??" else found[0]
    parts[-1] += statement[end:]
    return parts
