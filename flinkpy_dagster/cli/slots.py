"""What ``flinkpy info --slots`` says: the slots a job needs, per group and per wave."""

from typing import Any

from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.runtime.job_tasks import tasks_by_region, tasks_of
from flinkpy_dagster.runtime.slots_report import needs_by_group, waves

Report = dict[str, Any]


def slots_of(job_graph: JobGraph) -> Report:
    """``eager``: all at once; ``largest_region``: the least that the other modes need; per group; per wave."""
    tasks = tasks_of(job_graph)
    regions = tasks_by_region(tasks)
    needs = needs_by_group(tasks)
    per_region = {name: _total(members) for name, members in regions.items()}
    return {
        "name": job_graph.name,
        "eager": _total(tasks),
        "largest_region": max(per_region.values()),
        "groups": [
            {
                "group": need.group,
                "slots": need.slots,
                "slots_each": need.weight,
                "vertices": list(need.vertices),
            }
            for need in needs
        ],
        "waves": [
            {
                "slots": wave.slots,
                "regions": [
                    {
                        "region": region,
                        "slots": per_region[region],
                        "vertices": [task.key for task in regions[region]],
                    }
                    for region in wave.regions
                ],
            }
            for wave in waves(tasks)
        ],
    }


def described(report: Report) -> str:
    """The report for a person."""
    lines = [
        f"Job '{report['name']}' needs {report['eager']} slots to run all at once (EAGER), "
        f"{report['largest_region']} for its largest region (LAZY_FROM_SOURCES, PIPELINED_REGION).",
        "",
        "slots  group",
    ]
    for group in report["groups"]:
        each = f" of {group['slots_each']} each" if group["slots_each"] > 1 else ""
        lines.append(f"{group['slots']:5}  {group['group']}{each}: {'; '.join(group['vertices'])}")
    lines += ["", "slots  wave under LAZY_FROM_SOURCES (regions that may run at once)"]
    for number, wave in enumerate(report["waves"], start=1):
        regions = " | ".join("; ".join(region["vertices"]) for region in wave["regions"])
        lines.append(f"{wave['slots']:5}  {number}: {regions}")
    return "\n".join(lines)


def _total(tasks: Any) -> int:
    return sum(need.slots * need.weight for need in needs_by_group(tasks))
