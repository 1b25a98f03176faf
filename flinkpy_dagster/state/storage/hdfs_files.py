"""State and files of sinks on HDFS, by its REST API (WebHDFS): Python workers have no JVM.

A rename is one step, fails if its source is gone, and replaces a file only if it is told to; a file is created in a
folder that exists only if it is told to. So HDFS commits as a local file system does.
"""

import secrets
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import requests

from flinkpy_dagster.errors import ConfigurationError, UnsupportedFeature
from flinkpy_dagster.state.storage.local_cache import CachedFiles

_TIMEOUT_S = (10, 120)
_ERRORS: dict[str, type[OSError]] = {
    "FileNotFoundException": FileNotFoundError,
    "ParentNotDirectoryException": NotADirectoryError,
    "FileAlreadyExistsException": FileExistsError,
    "AccessControlException": PermissionError,
    "SecurityException": PermissionError,
}
_STANDBY = "StandbyException"


class HdfsFiles(CachedFiles):
    """``settings`` are Hadoop's: ``dfs.namenode.http-address``, and of name services all that starts with ``dfs.ha``.

    Also ``hadoop.user.name``, and those of the cache.
    """

    is_local = False

    def __init__(self, settings: Mapping[str, str] | None = None):
        super().__init__(settings)
        self._sessions = threading.local()
        self._active: dict[str, str] = {}  # by name service: the NameNode that answered last
        if self._settings.get("hadoop.security.authentication", "simple") != "simple":
            raise UnsupportedFeature(
                f"WebHDFS with hadoop.security.authentication={self._settings['hadoop.security.authentication']}",
                "mount HDFS by its NFS gateway and use file:, or an HDFS with simple authentication.",
            )

    # --- files

    def read(self, path: str) -> bytes:
        return self._ask("GET", "OPEN", path).content

    def write(self, path: str, data: bytes, is_synced: bool = True) -> None:
        """All replicas have the bytes then; on their disks if ``dfs.datanode.synconclose`` is set."""
        self._create(path, data)

    def put_if_absent(self, path: str, data: bytes) -> bool:
        written = f"{path}-{secrets.token_hex(8)}"
        self._create(written, data, createparent="true")
        try:
            self._ask("PUT", "RENAME", written, destination=_path(path), renameoptions="NONE")
        except FileExistsError:
            self.delete(written)
            return False
        return True

    def rename(self, source: str, target: str) -> None:
        self._ask("PUT", "RENAME", source, destination=_path(target), renameoptions="OVERWRITE")

    def make_folder(self, path: str) -> None:
        """``mkdirs`` says nothing of a folder that exists; a rename onto it does."""
        if self.exists(path):
            raise FileExistsError(path)
        above, _, name = path.rpartition("/")
        self._ask("PUT", "MKDIRS", above)
        written = f"{above}/.{name}-{secrets.token_hex(8)}"
        self._ask("PUT", "MKDIRS", written)
        try:
            self._ask("PUT", "RENAME", written, destination=_path(path), renameoptions="NONE")
        except OSError:
            self.delete(written)
            raise

    def exists(self, path: str) -> bool:
        try:
            self._status(path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def names(self, path: str) -> list[str]:
        try:
            listed = self._ask("GET", "LISTSTATUS", path).json()["FileStatuses"]["FileStatus"]
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(each["pathSuffix"] for each in listed if each["pathSuffix"])

    def size(self, path: str) -> int:
        return int(self._status(path)["length"])

    def copy(self, source: str, target: str) -> None:
        written = f"{target}.copying"
        self._create(written, self.read(source), createparent="true")
        self.rename(written, target)

    def put(self, path: str, data: bytes) -> None:
        self._create(f"{path}.pending", data, createparent="true")
        self.rename(f"{path}.pending", path)

    def delete(self, path: str) -> None:
        with suppress(FileNotFoundError):
            self._ask("DELETE", "DELETE", path, recursive="true")
        self._cache.forget(path)

    def sync_folder(self, path: str) -> None:
        """The NameNode has written a change of names to its log before it answers."""

    # --- files of sinks

    def stage(self, source: str, pending: str, final: str) -> None:
        with open(source, "rb") as stream:
            self._create(pending, stream, createparent="true")

    # --- the protocol

    def _status(self, path: str) -> dict[str, Any]:
        found: dict[str, Any] = self._ask("GET", "GETFILESTATUS", path).json()["FileStatus"]
        return found

    def _create(self, path: str, data: Any, createparent: str = "false") -> None:
        """The NameNode says which DataNode takes the bytes."""
        options = {"overwrite": "true", "createparent": createparent, "noredirect": "true"}
        place = self._ask("PUT", "CREATE", path, **options).json()["Location"]
        try:
            answer = self._session().put(
                place, data=data, headers={"Content-Type": "application/octet-stream"}, timeout=_TIMEOUT_S
            )
        except requests.RequestException as error:
            raise OSError(f"{path}: {error}") from error
        _check(answer, path)

    def _ask(self, method: str, operation: str, path: str, **parameters: str) -> requests.Response:
        """The NameNode's answer, of several the active one's. Raises OSError in the words of a file system."""
        service = path.partition("://")[2].partition("/")[0]
        query = {"op": operation, "user.name": self._user(), **parameters}
        problem: OSError | None = None
        for address in self._addresses(path, service):
            url = f"http://{address}/webhdfs/v1{quote(_path(path))}"
            try:
                answer = self._session().request(method, url, params=query, timeout=_TIMEOUT_S)
            except requests.RequestException as error:
                problem = OSError(f"{path}: {error}")
                continue
            if answer.status_code == 403 and _STANDBY in answer.text:
                problem = OSError(f"{path}: NameNode {address} is not the active one")
                continue
            self._active[service] = address
            _check(answer, path)
            return answer
        raise problem or OSError(f"{path}: no NameNode answers")

    def _addresses(self, path: str, service: str) -> list[str]:
        known = self._settings
        if path.startswith("webhdfs:"):
            return [service]
        if not service:
            service = known.get("fs.defaultFS", "").partition("://")[2].partition("/")[0]
        nodes = known.get(f"dfs.ha.namenodes.{service}", "")
        keys = [f"dfs.namenode.http-address.{service}.{node.strip()}" for node in nodes.split(",") if node]
        found = [known[key] for key in keys or ["dfs.namenode.http-address"] if key in known]
        if not found:
            raise ConfigurationError(
                f"Where WebHDFS of '{path}' is cannot be told: set dfs.namenode.http-address=HOST:PORT, or "
                "HADOOP_CONF_DIR to the folder of hdfs-site.xml."
            )
        host = service.partition(":")[0]
        found = [
            f"{host}{each.removeprefix('0.0.0.0')}" if each.startswith("0.0.0.0:") else each for each in found
        ]
        return sorted(found, key=lambda address: address != self._active.get(service))

    def _user(self) -> str:
        return self._settings.get("hadoop.user.name") or "hadoop"

    def _session(self) -> requests.Session:
        """Connections are kept, by thread."""
        if not hasattr(self._sessions, "session"):
            self._sessions.session = requests.Session()
        found: requests.Session = self._sessions.session
        return found


def _check(answer: requests.Response, path: str) -> None:
    if answer.ok:
        return
    try:
        problem = answer.json()["RemoteException"]
    except (ValueError, KeyError):
        raise OSError(f"{path}: HTTP {answer.status_code} {answer.reason}") from None
    kind = _ERRORS.get(problem["exception"], OSError)
    raise kind(f"{path}: {problem['message'].splitlines()[0]}")


def _path(uri: str) -> str:
    _, _, path = uri.partition("://")[2].partition("/")
    return f"/{path}"


__all__ = ["HdfsFiles"]
