"""The pod template of TaskManagers on Kubernetes, for what Spark has no settings: tolerations, the host's network."""

import json
import tempfile
from pathlib import Path

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.targets import executor_template


def pod_template_settings(configuration: Configuration) -> dict[str, str]:
    """Writes the template, if one is needed, and names it to Spark, which reads it once, when the session starts.

    It is JSON, which is YAML, too. A template of the user's is Spark's to read as it is.
    """
    template = executor_template(configuration)
    if template is None:
        return {}
    path = Path(tempfile.mkdtemp(prefix="flinkpy-pod-")) / "taskmanager.yaml"
    path.write_text(json.dumps(template, indent=2), encoding="utf-8")
    return {"spark.kubernetes.executor.podTemplateFile": str(path)}
