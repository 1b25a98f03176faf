"""The actions of the command line. Each is the function ``run`` of the module of its name."""

ACTIONS = {
    "run": "run a program",
    "run-application": "the same as run: the program always runs where its job is led from",
    "info": "print the plan of a program, without running it",
    "plan": "print the JobGraph of a program as Flink's JSON plan, without running it",
    "list": "list running and scheduled jobs",
    "cancel": "cancel a running job",
    "stop": "stop a running job with a savepoint",
    "savepoint": "make a savepoint of a running job, or dispose of one",
    "checkpoint": "make a checkpoint of a running job",
    "state": "look at the state of a checkpoint or savepoint",
    "taskmanagers": "list the TaskManagers of running jobs: slots, and who was lost",
    "session": "start, stop or list Spark applications that several jobs share",
    "recover": "launch submitted jobs again that never started, or whose process is gone",
    "config": "list the options there are, and their values",
    "gateway": "serve Flink's REST API",
    "ui": "serve Dagster's UI",
    "class-archive": "make Spark's JVM start faster: an archive of its classes, made once",
    "completion": "print a script that completes command lines of flinkpy in a shell",
}
"""Action and one line of help."""

SHELLS = ("bash", "zsh", "fish")


def module_of(action: str) -> str:
    """The module that carries the action out."""
    return f"flinkpy_dagster.cli.{MODULES.get(action, action)}"


MODULES = {
    "run-application": "run",
    "list": "jobs_list",
    "config": "config_list",
    "taskmanagers": "task_managers",
    "class-archive": "class_archive",
}
"""Where the module has another name than the action."""
