"""The pod template of TaskManagers on Kubernetes, for what Spark has no settings: tolerations, the host's network."""

import atexit
import json
import shutil
import tempfile
from pathlib import Path

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.targets import executor_template


def pod_template_settings(configuration: Configuration) -> dict[str, str]:
    """Writes the template, if one is needed, and names it to Spark, which reads it for every executor.

    It is there as long as this process. It is JSON, which is YAML, too. A template of the user's is Spark's to read as
    it is.
    """
    template = executor_template(configuration)
    if template is None:
        return {}
    folder = tempfile.mkdtemp(prefix="flinkpy-pod-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder) / "taskmanager.yaml"
    path.write_text(json.dumps(template, indent=2), encoding="utf-8")
    return {"spark.kubernetes.executor.podTemplateFile": str(path)}
