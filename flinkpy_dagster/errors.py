"""Every error this package raises on purpose.

::

    FlinkpyError
    ├── ProgramError                 the program cannot become a job
    │   ├── InvalidProgram
    │   ├── EmptyTopology
    │   ├── DuplicateUid
    │   ├── UnsupportedFeature
    │   └── UnpicklableFunction
    ├── ConfigurationError           an option has no such key or no such value
    ├── InputError                   what a source reads is not what was promised
    │   ├── UnreadableSource
    │   └── TypeMismatch
    ├── UnwritableSink               a sink cannot write: no connection, no driver, rows that are not taken
    ├── UserCodeError                a function of the program raised
    ├── OutOfMemory                  what an operator keeps does not fit its Python worker
    ├── StateError                   what was kept of a job cannot be used
    │   ├── CheckpointNotFound
    │   ├── CorruptState
    │   ├── IncompatibleState
    │   ├── StateNotStored
    │   └── StaleLeader
    ├── JobFailed                    a job ended without a result
    ├── JobCanceled
    ├── JobNotFound                  no job has this id
    ├── SubmissionRefused            the Dispatcher does not take this job
    │   └── DuplicateJobSubmission
    ├── SlotsUnavailable             the job wants more slots than there are
    └── TargetUnavailable            there is nothing to run on (no Java, no cluster)
        └── UnfitWorker              the Python of a worker lacks what the job needs

Each takes the parts of its sentence, by position or by name, keeps them as attributes, and survives pickling:
errors cross process boundaries. ``str(error)`` is one line: what happened, to which object, what to do.
``NonRetryable`` is none of them: programs raise it, or their own subclass, where running again would not help.
"""

from flinkpy_dagster.tracebacks import one_line, user_line_of


class NonRetryable(Exception):
    """For programs to raise, or to derive their own from: the restart strategy does not apply, the job fails.

    Flink: ``SuppressRestartsException`` and ``ThrowableType.NonRecoverableError``.
    """


class FlinkpyError(Exception):
    """Root of the tree; with a plain text it is that sentence."""

    def __str__(self) -> str:
        return one_line(self.sentence())

    def sentence(self) -> str:
        """The message, made of the parts."""
        return " ".join(str(part) for part in self.args)


class ProgramError(FlinkpyError):
    """The program cannot become a job."""


class InvalidProgram(ProgramError):
    """A call or a graph that makes no sense; takes the sentence."""


class EmptyTopology(ProgramError):
    """``execute()`` without any operator."""

    def sentence(self) -> str:
        return "No operators defined in streaming topology. Cannot execute."


class DuplicateUid(ProgramError):
    """Two operators of one job carry the same uid."""

    def __init__(self, uid: str, first: str, second: str):
        super().__init__(uid, first, second)
        self.uid, self.first, self.second = uid, first, second

    def sentence(self) -> str:
        return (
            f'Hash collision on user-specified ID "{self.uid}". Most likely cause is a non-unique ID. Please check '
            f"that all IDs specified via `uid(String)` are unique: '{self.first}' and '{self.second}' share this one."
        )


class UnsupportedFeature(ProgramError):
    """Something of Flink or PyFlink that does not exist here; ``instead`` says what to use."""

    def __init__(self, name: str, instead: str = ""):
        super().__init__(name, instead)
        self.name, self.instead = name, instead

    def sentence(self) -> str:
        return f"flinkpy-dagster does not have {self.name}" + (f": {self.instead}" if self.instead else ".")


class UnpicklableFunction(ProgramError):
    """A function cannot be sent to the workers, usually because of what its closure holds."""

    def __init__(self, operator: str, reason: str):
        super().__init__(operator, reason)
        self.operator, self.reason = operator, reason

    def sentence(self) -> str:
        return (
            f"The function of operator '{self.operator}' cannot be pickled ({self.reason}): "
            "create what it holds in open() instead of capturing it."
        )


class ConfigurationError(FlinkpyError):
    """An option has no such key or no such value; takes the sentence."""


class InputError(FlinkpyError):
    """What a source reads is not what was promised."""


class UnreadableSource(InputError):
    """Files or a DataFrame that cannot be read."""

    def __init__(self, source: str, reason: str):
        super().__init__(source, reason)
        self.source, self.reason = source, reason

    def sentence(self) -> str:
        return f"Source '{self.source}' cannot be read: {self.reason}"


class UnwritableSink(FlinkpyError):
    """A sink that cannot write what it is given, or has nothing to write it with."""

    def __init__(self, sink: str, reason: str):
        super().__init__(sink, reason)
        self.sink, self.reason = sink, reason

    def sentence(self) -> str:
        return f"Sink '{self.sink}' cannot write: {self.reason}"


def no_such_file(path: str) -> str:
    """The reason of an UnreadableSource, in Flink's words."""
    return f"Could not enumerate file splits: File {path} does not exist or may not be read."


class TypeMismatch(InputError):
    """A value does not fit its declared type. ``field`` is a path such as ``f0.name``, "" for the value itself.

    ``reason`` is what the conversion said, in PyFlink's words where it has any.
    """

    def __init__(self, field: str, type_name: str, value: object, operator: str = "", reason: str = ""):
        self.value_text = value if isinstance(value, _Shown) else _Shown(_shortened(repr(value)))
        super().__init__(field, type_name, self.value_text, operator, reason)
        self.field, self.type_name, self.operator, self.reason = field, type_name, operator, reason

    def with_operator(self, operator: str) -> "TypeMismatch":
        """The same error, naming the operator whose output it was; an operator already named stays."""
        return TypeMismatch(
            self.field, self.type_name, self.value_text, self.operator or operator, self.reason
        )

    def sentence(self) -> str:
        where = f"Operator '{self.operator}': " if self.operator else ""
        what = f"field '{self.field}'" if self.field else "the value"
        reason = f" ({self.reason})" if self.reason else ""
        return f"{where}{what} is declared {self.type_name}, but holds {self.value_text}{reason}."


class UserCodeError(FlinkpyError):
    """A function of the program raised.

    ``operator`` is its name in the plan, ``cause_type`` the exception's class name, ``message`` its text,
    ``traceback_text`` the formatted traceback as the worker saw it. ``is_retryable`` False: it, or a cause of it, was
    a NonRetryable.
    """

    def __init__(
        self,
        operator: str,
        cause_type: str,
        message: str,
        traceback_text: str = "",
        is_retryable: bool = True,
    ):
        super().__init__(operator, cause_type, message, traceback_text, is_retryable)
        self.operator, self.cause_type = operator, cause_type
        self.message, self.traceback_text = message, traceback_text
        self.is_retryable = is_retryable

    @classmethod
    def of(cls, operator: str, error: BaseException, traceback_text: str = "") -> "UserCodeError":
        """What ``error``, raised by a function of that operator, is to us."""
        return cls(operator, type(error).__name__, str(error), traceback_text, not _forbids_retries(error))

    @property
    def user_line(self) -> str:
        """Where in the user's own files it was raised, see ``user_line_of``."""
        return user_line_of(self.traceback_text)

    def sentence(self) -> str:
        cause = f"{self.cause_type}: {self.message}" if self.message else self.cause_type
        where = f" ({self.user_line})" if self.user_line else ""
        return f"User code of operator '{self.operator}' failed: {cause}{where}"


class OutOfMemory(FlinkpyError):
    """What ``who`` keeps (state, windows, BATCH input) does not fit its Python worker.

    ``limit_bytes``: what the worker may use, None without a limit.
    """

    def __init__(self, who: str, limit_bytes: int | None = None):
        super().__init__(who, limit_bytes)
        self.who, self.limit_bytes = who, limit_bytes

    def sentence(self) -> str:
        limit = "" if self.limit_bytes is None else f" of {self.limit_bytes / 2**30:.1f} GiB"
        return (
            f"{self.who} ran out of the memory{limit} of its Python worker: raise the parallelism (-p), so that each "
            "subtask keeps fewer keys, or give workers more, -D spark.executor.pyspark.memory=16g."
        )


class StateError(FlinkpyError):
    """What was kept of a job cannot be used."""


class CheckpointNotFound(StateError):
    """There is no checkpoint or savepoint where one was looked for."""

    def __init__(self, path: str, reason: str):
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def sentence(self) -> str:
        return (
            f"There is no checkpoint or savepoint at '{self.path}': {self.reason}; give the folder of one, "
            "which holds a file _metadata."
        )


class CorruptState(StateError):
    """A checkpoint is not what was written: bytes are missing or wrong."""

    def __init__(self, path: str, reason: str):
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def sentence(self) -> str:
        return f"Checkpoint '{self.path}' cannot be used: {self.reason}."


class IncompatibleState(StateError):
    """State does not fit the program that should go on with it. ``instead`` says what can be done."""

    def __init__(self, operator: str, reason: str, instead: str):
        super().__init__(operator, reason, instead)
        self.operator, self.reason, self.instead = operator, reason, instead

    def sentence(self) -> str:
        return f"The state of operator '{self.operator}' does not fit the program: {self.reason}; {self.instead}."


class StateNotStored(StateError):
    """State cannot be written; ``path`` is the file or folder, ``reason`` what the system says."""

    def __init__(self, path: str, reason: str):
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def sentence(self) -> str:
        return (
            f"State cannot be stored in '{self.path}' ({self.reason}): make room or mend the file system, or set "
            "execution.checkpointing.dir to another folder that driver and workers share."
        )


class StaleLeader(StateError):
    """Another run of the job took over: this one must not commit any more."""

    def __init__(self, folder: str, token: int, newest: int):
        super().__init__(folder, token, newest)
        self.folder, self.token, self.newest = folder, token, newest

    def sentence(self) -> str:
        return (
            f"This run may not commit to '{self.folder}' any more: its fencing token is {self.token}, and a newer run "
            f"of the job (token {self.newest}) has taken over; only that one goes on."
        )


class JobFailed(FlinkpyError):
    """A job ended without a result; ``cause`` is the error, or the text, that ended it.

    ``traceback_text`` is the traceback as the worker saw it, where the error was neither ours nor the user's.
    """

    def __init__(self, job: str, cause: object, traceback_text: str = ""):
        super().__init__(job, cause, traceback_text)
        self.job, self.cause, self.traceback_text = job, cause, traceback_text

    def sentence(self) -> str:
        return f"Job '{self.job}' failed: {self.cause}"


class JobCanceled(FlinkpyError):
    """A job was canceled before it finished."""

    def __init__(self, job: str):
        super().__init__(job)
        self.job = job

    def sentence(self) -> str:
        return f"Job '{self.job}' was canceled."


class JobNotFound(FlinkpyError):
    """No job has this id (Flink's ``FlinkJobNotFoundException``)."""

    def __init__(self, job_id: str):
        super().__init__(job_id)
        self.job_id = job_id

    def sentence(self) -> str:
        return f"Could not find Flink job ({self.job_id})"


class SubmissionRefused(FlinkpyError):
    """The Dispatcher does not take this job; takes the reason, in Flink's words where it has any."""


class DuplicateJobSubmission(SubmissionRefused):
    """The job id is taken (Flink's class of this name). ``status``: what became of that job so far."""

    def __init__(self, job_id: str, status: str, is_globally_terminated: bool = False):
        super().__init__(job_id, status, is_globally_terminated)
        self.job_id, self.status = job_id, status
        self.is_globally_terminated = is_globally_terminated

    def sentence(self) -> str:
        how = f"is {self.status}"
        if self.is_globally_terminated:
            how = f"reached a globally-terminal state ({self.status}) in a previous execution: give it another id"
        return f"Job has already been submitted. {self.job_id} {how}."


class SlotsUnavailable(FlinkpyError):
    """A job or region wants more slots than there are.

    ``details`` says what they are needed for, ``remedy`` what would help.
    """

    def __init__(
        self,
        required: int,
        available: int,
        who: str = "the job",
        details: str = "",
        remedy: str = "Lower the parallelism or give more slots.",
    ):
        super().__init__(required, available, who, details, remedy)
        self.required, self.available, self.who = required, available, who
        self.details, self.remedy = details, remedy

    def sentence(self) -> str:
        details = f" ({self.details})" if self.details else ""
        return (
            f"Could not acquire the minimum required resources: {self.who} needs {self.required} slots at once"
            f"{details}, {self.available} exist. {self.remedy}"
        )


class TargetUnavailable(FlinkpyError):
    """There is nothing to run on: no Java, no such target, no cluster; takes the sentence."""


class UnfitWorker(TargetUnavailable):
    """The Python of a worker lacks what the job needs; takes the sentence."""


def _forbids_retries(error: BaseException | None) -> bool:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, NonRetryable):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


class _Shown(str):
    """Text of a value that was already shortened; keeps ``TypeMismatch`` idempotent under pickling."""


def _shortened(text: str, limit: int = 120) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
