"""The paths that are asked of Flink when its answers are recorded, and of the gateway when it is compared."""

CLUSTER = """
/overview /config /jobs /jobs/overview /applications/overview /jobs/metrics /taskmanagers /taskmanagers/metrics
/taskmanagers/:taskmanagerid /taskmanagers/:taskmanagerid/metrics /taskmanagers/:taskmanagerid/logs
/taskmanagers/:taskmanagerid/thread-dump /jobmanager/config /jobmanager/environment /jobmanager/logs
/jobmanager/metrics /jobmanager/thread-dump /jars /datasets
""".split()
"""What does not concern one job."""

JOB = """
/jobs/:jobid /jobs/:jobid/status /jobs/:jobid/plan /jobs/:jobid/config /jobs/:jobid/exceptions
/jobs/:jobid/exceptions?maxExceptions=1 /jobs/:jobid/accumulators /jobs/:jobid/accumulators?includeSerializedValue=true
/jobs/:jobid/checkpoints /jobs/:jobid/checkpoints/config /jobs/:jobid/metrics /jobs/:jobid/execution-result
/jobs/:jobid/jobmanager/config /jobs/:jobid/jobmanager/environment /jobs/:jobid/resource-requirements
/jobs/:jobid/rescales/config
/jobs/:jobid/rescales/overview /jobs/:jobid/rescales/history /jobs/:jobid/rescales/summary
/applications/:jobid /applications/:jobid/exceptions
""".split()
"""Of one job."""

VERTEX = """
/jobs/:jobid/vertices/:vertexid /jobs/:jobid/vertices/:vertexid/accumulators
/jobs/:jobid/vertices/:vertexid/backpressure /jobs/:jobid/vertices/:vertexid/metrics
/jobs/:jobid/vertices/:vertexid/watermarks /jobs/:jobid/vertices/:vertexid/subtasks/accumulators
/jobs/:jobid/vertices/:vertexid/subtasks/metrics /jobs/:jobid/vertices/:vertexid/subtasktimes
/jobs/:jobid/vertices/:vertexid/taskmanagers /jobs/:jobid/vertices/:vertexid/flamegraph?type=FULL
/jobs/:jobid/vertices/:vertexid/subtasks/0 /jobs/:jobid/vertices/:vertexid/subtasks/0/metrics
/jobs/:jobid/vertices/:vertexid/subtasks/0/attempts/0
/jobs/:jobid/vertices/:vertexid/subtasks/0/attempts/0/accumulators
/jobs/:jobid/vertices/:vertexid/jm-operator-metrics
""".split()
"""Of one vertex of a job."""

CHECKPOINT = """
/jobs/:jobid/checkpoints/details/:checkpointid /jobs/:jobid/checkpoints/details/:checkpointid/subtasks/:vertexid
""".split()
"""Of one checkpoint of a job."""

UNKNOWN_JOB = "f" * 32

WRONG = [
    ("GET", "/nothing"),
    ("GET", "/jobs/nonsense"),
    *(("GET", path.replace(":jobid", UNKNOWN_JOB)) for path in JOB if path.startswith("/jobs/")),
    ("GET", f"/jobs/{UNKNOWN_JOB}/savepoints/{UNKNOWN_JOB}"),
    ("GET", f"/jobs/{UNKNOWN_JOB}/vertices/{UNKNOWN_JOB}"),
    ("GET", f"/jobs/{UNKNOWN_JOB}/checkpoints/details/1"),
    ("GET", f"/savepoint-disposal/{UNKNOWN_JOB}"),
    ("GET", f"/jobs/{UNKNOWN_JOB}/rescaling/{UNKNOWN_JOB}"),
    ("GET", "/taskmanagers/none"),
    ("PATCH", f"/jobs/{UNKNOWN_JOB}"),
    ("PATCH", f"/jobs/{UNKNOWN_JOB}?mode=nonsense"),
    ("PATCH", f"/jobs/{UNKNOWN_JOB}/rescaling?parallelism=2"),
    ("PATCH", f"/jobs/{UNKNOWN_JOB}/rescaling"),
    ("POST", f"/jobs/{UNKNOWN_JOB}/stop"),
    ("POST", f"/jobs/{UNKNOWN_JOB}/savepoints"),
    ("POST", f"/jobs/{UNKNOWN_JOB}/checkpoints"),
    ("GET", f"/jobs/{UNKNOWN_JOB}/checkpoints/{UNKNOWN_JOB}"),
    ("POST", "/savepoint-disposal"),
    ("POST", "/jobs"),
    ("POST", "/jars/upload"),
    ("DELETE", "/jars/none.jar"),
    ("POST", "/jars/none.jar/run"),
    ("POST", "/jars/none.jar/plan"),
    ("GET", "/jars/none.jar/plan"),
    ("DELETE", "/overview"),
    ("POST", "/overview"),
]
"""Requests that are refused: method and path, without a body."""
