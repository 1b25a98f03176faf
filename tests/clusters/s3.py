"""A server that speaks S3, in a thread of the test process: conditional writes and multipart uploads included."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import boto3
from moto.server import ThreadedMotoServer

from flinkpy_dagster.config import Configuration
from tests.clusters.hadoop import hadoop_version
from tests.clusters.jars import Jars, first_of


@dataclass(frozen=True)
class S3Server:
    """``endpoint`` is a URL; there is one bucket."""

    endpoint: str
    bucket: str = "tests"

    @property
    def options(self) -> dict[str, str]:
        """Flink's options that lead to it."""
        return {
            "s3.endpoint": self.endpoint,
            "s3.endpoint.region": "us-east-1",
            "s3.access-key": "testing",
            "s3.secret-key": "testing",
            "s3.path.style.access": "true",
        }

    @property
    def configuration(self) -> Configuration:
        """The same as a configuration."""
        return Configuration.from_dict(self.options)

    def keys(self, prefix: str = "") -> list[str]:
        """The keys of all objects that anybody sees."""
        pages = self._client().get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=prefix)
        return [each["Key"] for page in pages for each in page.get("Contents", ())]

    def uploads(self) -> list[str]:
        """The keys of uploads that are neither completed nor aborted."""
        found = self._client().list_multipart_uploads(Bucket=self.bucket)
        return [each["Key"] for each in found.get("Uploads", ())]

    def text(self, key: str) -> str:
        """What is in an object."""
        return str(self._client().get_object(Bucket=self.bucket, Key=key)["Body"].read().decode())

    def _client(self):
        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
        )


@contextmanager
def running_s3() -> Iterator[S3Server]:
    """A server as long as the block lasts."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        found = S3Server(f"http://{host}:{port}")
        found._client().create_bucket(Bucket=found.bucket)
        yield found
    finally:
        server.stop()


def s3a_jars() -> list[Path]:
    """Hadoop's S3A and the modules of Amazon's SDK that it uses; their bundle of all has 600 MB. Raises NoJars."""
    parts = tuple(f"software.amazon.awssdk:{part}:2.35.4" for part in ("s3", "sts", "s3-transfer-manager"))
    own = (
        f"org.apache.hadoop:hadoop-aws:{hadoop_version()}",
        "software.amazon.s3.analyticsaccelerator:analyticsaccelerator-s3:1.3.1",
    )
    return [*first_of(Jars(own, alone=True)), *first_of(Jars(parts))]
