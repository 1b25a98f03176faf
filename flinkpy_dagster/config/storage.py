"""How file systems are reached: endpoints, keys and addresses, from Flink's options, Hadoop's and Hadoop's files.

Flink's ``s3.*`` and ``fs.s3a.*``, Spark's ``spark.hadoop.*``, and ``core-site.xml`` and ``hdfs-site.xml`` in the folder
that HADOOP_CONF_DIR names. What none of them says is left to boto3 (AWS_* variables, roles of machines).
"""

import getpass
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

from flinkpy_dagster.config.configuration import Configuration

_S3 = {
    "s3.endpoint": ("s3.endpoint", "fs.s3a.endpoint"),
    "s3.region": ("s3.endpoint.region", "fs.s3a.endpoint.region"),
    "s3.access-key": ("s3.access-key", "s3.access.key", "fs.s3a.access.key"),
    "s3.secret-key": ("s3.secret-key", "s3.secret.key", "fs.s3a.secret.key"),
    "s3.session-token": ("s3.session-token", "fs.s3a.session.token"),
    "s3.path-style": ("s3.path.style.access", "s3.path-style-access", "fs.s3a.path.style.access"),
}
"""Our name of a setting, and the keys that say it: Flink's first; Hadoop's last, which is what Spark is told."""

_CACHE = {"cache.folder": "flinkpy.state-cache.dir", "cache.bytes": "flinkpy.state-cache.size"}
_PASSED = ("dfs.", "fs.defaultFS", "hadoop.")
_HADOOP = ("flink.hadoop.", "spark.hadoop.")
_SPARK = _HADOOP[-1]
_FILES = ("core-site.xml", "hdfs-site.xml")


def storage_settings(configuration: Configuration) -> dict[str, str]:
    """What ``SchemeFiles`` takes. Hadoop's own keys (``dfs.*``, ``hadoop.*``) are as Hadoop names them."""
    known = hadoop_values(configuration)
    found = {name: known[key] for name, keys in _S3.items() if (key := _first(keys, known))}
    found |= {key: value for key, value in known.items() if key.startswith(_PASSED)}
    found.setdefault("hadoop.user.name", _user())
    for name, key in _CACHE.items():
        if (value := configuration.get(key)) is not None:
            found[name] = str(value)
    endpoint = found.get("s3.endpoint", "")
    if endpoint and "://" not in endpoint:
        is_plain = known.get("fs.s3a.connection.ssl.enabled", "true") == "false"
        found["s3.endpoint"] = ("http://" if is_plain else "https://") + endpoint
    return found


def spark_storage_settings(configuration: Configuration) -> dict[str, str]:
    """What Spark is told, so that one place of settings does for both: ``s3.*``, ``fs.s3a.*`` as ``spark.hadoop.*``."""
    own = configuration.to_dict()
    told = {_SPARK + key: value for key, value in own.items() if key.startswith(("fs.s3a.", "dfs."))}
    for keys in _S3.values():
        if key := _first(keys[:-1], own):
            told[_SPARK + keys[-1]] = own[key]
    if any(key.startswith(f"{_SPARK}fs.s3a.") for key in (*told, *own)):
        told[f"{_SPARK}fs.s3.impl"] = "org.apache.hadoop.fs.s3a.S3AFileSystem"  # Flink's scheme
    return told | _default_file_system(configuration)


def _default_file_system(configuration: Configuration) -> dict[str, str]:
    """A path without a scheme is one of this machine, as in Flink and in our workers, whatever Hadoop's default is.

    What Spark ships to containers of YARN stays where it would be: in the user's folder on the default file system.
    """
    known = hadoop_values(configuration)
    default = known.get("fs.defaultFS", "").rstrip("/")
    own = configuration.to_dict()
    if not default or default.startswith("file:") or any(f"{each}fs.defaultFS" in own for each in _HADOOP):
        return {}
    told = {f"{_SPARK}fs.defaultFS": "file:///"}
    if not configuration.contains_key("yarn.staging-directory"):
        homes = known.get("dfs.user.home.dir.prefix", "/user")
        told["spark.yarn.stagingDir"] = f"{default}{homes}/{_user()}"
    return told


def hadoop_values(configuration: Configuration) -> dict[str, str]:
    """All keys that speak of file systems; those of the configuration win over Hadoop's files."""
    own = configuration.to_dict()
    found = _of_files(os.environ.get("HADOOP_CONF_DIR") or os.environ.get("YARN_CONF_DIR"))
    for prefix in _HADOOP:
        found |= {key.removeprefix(prefix): value for key, value in own.items() if key.startswith(prefix)}
    return found | {key: value for key, value in own.items() if key.startswith(("s3.", "fs.", "dfs."))}


def _user() -> str:
    """Who HDFS is told that we are, workers on other machines included."""
    with suppress(OSError, KeyError):  # a container whose user has no name
        return os.environ.get("HADOOP_USER_NAME") or getpass.getuser()
    return ""


def _first(keys: tuple[str, ...], known: Mapping[str, str]) -> str | None:
    return next((key for key in keys if key in known), None)


def _of_files(folder: str | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in (Path(folder) / name for name in _FILES) if folder else ():
        if path.is_file():
            for each in ElementTree.parse(path).getroot().iter("property"):
                found[(each.findtext("name") or "").strip()] = (each.findtext("value") or "").strip()
    return found
