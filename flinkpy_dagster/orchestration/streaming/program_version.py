"""Which version of a program a checkpoint was made by."""

from hashlib import sha256

from flinkpy_dagster.graph.job_graph import JobGraph


def program_version(job_graph: JobGraph) -> str:
    """Twelve hex digits that change when a file changes whose lines ask for operators; empty if no file is known.

    Wherever the files are: a detached job runs a copy of its program, which is the same version.
    """
    nodes = (node for vertex in job_graph.vertices for node in vertex.nodes)
    contents = {_digest(file) for file in {file for node in nodes for file, _ in node.places}}
    contents.discard("")
    return sha256("".join(sorted(contents)).encode()).hexdigest()[:12] if contents else ""


def _digest(file: str) -> str:
    try:
        with open(file, "rb") as content:
            return sha256(content.read()).hexdigest()
    except OSError:  # a notebook, a program that was deleted
        return ""
