"""State and files of sinks in an object store that speaks S3, by boto3.

Objects are written as a whole, and by compare-and-swap where two may write (``If-Match``, ``If-None-Match``). There are
no folders: one is there as long as an object's key begins with it.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cached_property, wraps
from typing import Any, TypeVar, cast

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from flinkpy_dagster.state.files import ObjectFiles, VersionChanged
from flinkpy_dagster.state.storage.local_cache import CachedFiles

_MISSING = {"404", "NoSuchKey", "NoSuchBucket", "NotFound"}
_CHANGED = {"PreconditionFailed", "ConditionalRequestConflict", "412", "409"}
_PER_REQUEST = 1000
_LISTED_FROM = 8
"""Sizes of so many files of a folder are taken from its listing."""
_PART_BYTES = 64 * 2**20

_Method = TypeVar("_Method", bound=Callable[..., Any])


def _asked(method: _Method) -> _Method:
    """A method whose errors of S3 are those of a file system."""

    @wraps(method)
    def ask(files: "S3Files", path: str, *args: Any, **options: Any) -> Any:
        try:
            return method(files, path, *args, **options)
        except ClientError as error:
            if error.response["Error"]["Code"] in _MISSING:
                raise FileNotFoundError(f"{path}: {error}") from error
            raise OSError(f"{path}: {error}") from error
        except BotoCoreError as error:
            raise OSError(f"{path}: {error}") from error

    return cast(_Method, ask)


class S3Files(CachedFiles, ObjectFiles):
    """``settings``: of ``s3.`` endpoint, region, access-key, secret-key, session-token and path-style; of ``cache.``.

    What misses is taken from where boto3 looks: AWS_* variables, ~/.aws, the machine's role.
    """

    def __repr__(self) -> str:
        return "S3Files()"  # settings hold keys

    @cached_property
    def _s3(self) -> Any:
        known = self._settings.get
        endpoint = known("s3.endpoint")
        is_path_style = known("s3.path-style", "false").lower() == "true"
        config = Config(
            retries={"mode": "standard", "max_attempts": 5},
            connect_timeout=10,
            read_timeout=60,
            s3={"addressing_style": "path" if is_path_style else "auto"},
            # other servers than Amazon's do not all know the newer checksums
            request_checksum_calculation="when_required" if endpoint else "when_supported",
            response_checksum_validation="when_required" if endpoint else "when_supported",
        )
        return boto3.session.Session(
            aws_access_key_id=known("s3.access-key"),
            aws_secret_access_key=known("s3.secret-key"),
            aws_session_token=known("s3.session-token"),
            region_name=known("s3.region") or ("us-east-1" if endpoint else None),
        ).client("s3", endpoint_url=endpoint, config=config)

    # --- objects

    @_asked
    def read(self, path: str) -> bytes:
        data: bytes = self._s3.get_object(**_place(path))["Body"].read()
        return data

    @_asked
    def write(self, path: str, data: bytes, is_synced: bool = True) -> None:
        self._s3.put_object(**_place(path), Body=data)

    def put(self, path: str, data: bytes) -> None:
        self.write(path, data)

    @_asked
    def versioned(self, path: str) -> tuple[bytes, str]:
        found = self._s3.get_object(**_place(path))
        return found["Body"].read(), found["ETag"]

    @_asked
    def swap(self, path: str, data: bytes, version: str | None) -> str:
        condition = {"IfNoneMatch": "*"} if version is None else {"IfMatch": version}
        try:
            written: str = self._s3.put_object(**_place(path), Body=data, **condition)["ETag"]
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code in _CHANGED or (version is not None and code in ("NoSuchKey", "404")):
                raise VersionChanged(path) from error
            raise
        return written

    def put_if_absent(self, path: str, data: bytes) -> bool:
        try:
            self.swap(path, data, None)
        except VersionChanged:
            return False
        return True

    @_asked
    def size(self, path: str) -> int:
        return int(self._s3.head_object(**_place(path))["ContentLength"])

    def sizes(self, paths: Iterable[str]) -> dict[str, int | OSError]:
        by_folder: dict[str, list[str]] = {}
        for path in paths:
            by_folder.setdefault(path.rpartition("/")[0], []).append(path)
        found: dict[str, int | OSError] = {}
        for folder, wanted in by_folder.items():
            if len(wanted) < _LISTED_FROM:
                found |= super().sizes(wanted)
                continue
            there = dict(self._objects(f"{folder}/"))
            found |= {path: there.get(path, FileNotFoundError(f"{path}: there is none")) for path in wanted}
        return found

    @_asked
    def copy(self, source: str, target: str) -> None:
        place = _place(target)
        self._s3.copy(CopySource=_place(source), Bucket=place["Bucket"], Key=place["Key"])

    def rename(self, source: str, target: str) -> None:
        """Not in one step: only what no commit depends on is renamed in an object store."""
        moved = [path for path, _ in self._objects(f"{source}/")]
        for path in moved or [source]:
            self.copy(path, target + path[len(source) :])
        self.delete_files(moved or [source])

    # --- what looks like folders

    def make_folder(self, path: str) -> None:
        """There is nothing to make."""

    def sync_folder(self, path: str) -> None:
        """What is written is durable."""

    def exists(self, path: str) -> bool:
        try:
            self.size(path)
        except FileNotFoundError:
            return any(True for _ in self._objects(f"{path}/"))
        return True

    @_asked
    def names(self, path: str) -> list[str]:
        place = _place(f"{path}/")
        names = []
        pages = self._s3.get_paginator("list_objects_v2")
        for page in pages.paginate(Bucket=place["Bucket"], Prefix=place["Key"], Delimiter="/"):
            names += [each["Prefix"] for each in page.get("CommonPrefixes", ())]
            names += [each["Key"] for each in page.get("Contents", ())]
        return sorted({name[len(place["Key"]) :].rstrip("/") for name in names} - {""})

    def delete(self, path: str) -> None:
        self.delete_files([path, *(below for below, _ in self._objects(f"{path}/"))])

    def delete_files(self, paths: Iterable[str]) -> None:
        several = list(paths)
        for start in range(0, len(several), _PER_REQUEST):
            self._delete(several[start], several[start : start + _PER_REQUEST])
        for path in several:
            self._cache.forget(path)

    @_asked
    def _delete(self, first: str, paths: list[str]) -> None:
        keys = [{"Key": _place(path)["Key"]} for path in paths]
        wanted = {"Objects": keys, "Quiet": True}
        done = self._s3.delete_objects(Bucket=_place(first)["Bucket"], Delete=wanted)
        for refused in done.get("Errors", ()):
            raise OSError(f"{refused['Key']} could not be deleted: {refused.get('Message', refused['Code'])}")

    def _objects(self, prefix: str) -> Iterator[tuple[str, int]]:
        """Path and size of all whose path begins so."""
        try:
            yield from self._listed(prefix)
        except FileNotFoundError:
            return

    @_asked
    def _listed(self, prefix: str) -> list[tuple[str, int]]:
        place = _place(prefix)
        root = prefix[: len(prefix) - len(place["Key"])]
        pages = self._s3.get_paginator("list_objects_v2")
        return [
            (root + each["Key"], each["Size"])
            for page in pages.paginate(Bucket=place["Bucket"], Prefix=place["Key"])
            for each in page.get("Contents", ())
        ]

    # --- files of sinks: uploads that are complete when they are published, invisible until then

    @_asked
    def stage(self, source: str, pending: str, final: str) -> None:
        """``pending`` is a small object that says which upload it is: so a run that comes later finds all."""
        place = _place(final)
        upload = place | {"UploadId": self._s3.create_multipart_upload(**place)["UploadId"]}
        self.write(pending, json.dumps(upload).encode())  # from here on ``discard`` finds it
        parts: list[dict[str, Any]] = []
        with open(source, "rb") as stream:
            while (data := stream.read(_PART_BYTES)) or not parts:
                number = len(parts) + 1
                done = self._s3.upload_part(**upload, PartNumber=number, Body=data)
                parts.append({"PartNumber": number, "ETag": done["ETag"]})
        self.write(pending, json.dumps(upload | {"MultipartUpload": {"Parts": parts}}).encode())

    @_asked
    def publish(self, pending: str, final: str) -> bool:
        try:
            upload = json.loads(self.read(pending))
        except FileNotFoundError:
            return False
        try:
            self._s3.complete_multipart_upload(**upload)
        except ClientError as error:
            is_gone = error.response["Error"]["Code"] in ("NoSuchUpload", "404")
            if not is_gone or not self.exists(final):  # completed before, or ended by a rule of the bucket
                raise
        self.delete_files([pending])
        return True

    @_asked
    def discard(self, folder: str) -> None:
        for path, _ in list(self._objects(f"{folder}/")):
            upload = json.loads(self.read(path))
            with suppress(ClientError):  # completed, or ended by another run
                self._s3.abort_multipart_upload(
                    **{name: upload[name] for name in ("Bucket", "Key", "UploadId")}
                )
            self.delete_files([path])


def _place(path: str) -> dict[str, str]:
    bucket, _, key = path.partition("://")[2].partition("/")
    return {"Bucket": bucket, "Key": key}


__all__ = ["S3Files"]
