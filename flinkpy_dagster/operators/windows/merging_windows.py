"""The windows of one key that may merge (Flink's ``MergingWindowSet``).

Each window is mapped to a *state window*, under which its contents are stored; when windows merge, the result
keeps one of their state windows so that contents need not move.
"""

from collections.abc import Callable
from typing import Any

from flinkpy_dagster.operators.windows.window_assigners import MergingWindowAssigner

MergeFunction = Callable[[Any, set, Any, list], None]
"""Called with the merged window, the windows it is made of, its state window and the state windows to merge into it."""


class MergeResults(MergingWindowAssigner.MergeCallback):
    """Collects what the assigner wants to merge."""

    def __init__(self) -> None:
        self.groups: dict[Any, Any] = {}

    def merge(self, to_be_merged: Any, merge_result: Any) -> None:
        self.groups[merge_result] = to_be_merged


class MergingWindowSet:
    """``mapping`` is from window to state window; it is kept by the caller as the state of a key."""

    def __init__(self, assigner: Any, mapping: dict):
        self._assigner = assigner
        self._mapping = mapping

    def state_window(self, window: Any) -> Any:
        """The state window, or None if the window is not known."""
        return self._mapping.get(window)

    def retire(self, window: Any) -> None:
        """Forgets a window."""
        self._mapping.pop(window, None)

    def add(self, new_window: Any, merge: MergeFunction) -> Any:
        """Adds a window and merges what the assigner wants merged; returns the window it ended up in."""
        results = MergeResults()
        self._assigner.merge_windows([*self._mapping, new_window], results)
        result_window = new_window
        was_merged = False
        for merged_window, group in results.groups.items():
            if new_window in group:
                was_merged = True
                group.remove(new_window)
                result_window = merged_window
            self._merge_group(merged_window, group, merge)
        if not results.groups or (result_window == new_window and not was_merged):
            self._mapping[result_window] = result_window
        return result_window

    def _merge_group(self, merged_window: Any, group: set, merge: MergeFunction) -> None:
        mapping = self._mapping
        kept = mapping[next(iter(group))]
        moved = [mapping.pop(window) for window in group if window in mapping]
        mapping[merged_window] = kept
        moved.remove(kept)
        if merged_window not in group or len(group) != 1:
            merge(merged_window, group, kept, moved)
