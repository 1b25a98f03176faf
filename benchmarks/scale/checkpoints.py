"""The checkpoint store with a million files, and key groups. Files are names in memory: no disk is measured."""

import pickle
import zlib
from collections import defaultdict
from collections.abc import Iterator

from benchmarks.scale.rows import Row, megabytes, seconds, timed
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.state.files import Files
from flinkpy_dagster.state.metadata import EpochMetadata, OperatorMetadata, encoded
from flinkpy_dagster.state.refs import FileRef, SegmentRef, SubtaskStateRef, overlapping
from flinkpy_dagster.types.keys import key_group_of, key_group_range, subtask_of

PART = "checkpoints"
SUBTASKS, GROUPS = 1000, 10_000
SEGMENT = 1 << 20  # bytes of a segment: a million of them are 1 TB
FOLDER = "/job"
_CONTENT = b"state"


class MemoryFiles(Files):
    """A file system of this machine, in memory. All state files have one content; only metadata is kept."""

    def __init__(self) -> None:
        self.folders: dict[str, dict[str, bytes]] = defaultdict(dict)
        self.folders["/"] = {}

    def read(self, path: str) -> bytes:
        folder, _, name = path.rpartition("/")
        if name not in self.folders.get(folder, ()):
            raise FileNotFoundError(path)
        return self.folders[folder][name]

    def view(self, path: str) -> memoryview:
        return memoryview(self.read(path))

    def size(self, path: str) -> int:
        return len(self.read(path))

    def write(self, path: str, data: bytes, is_synced: bool = True) -> None:
        folder, _, name = path.rpartition("/")
        if folder not in self.folders:
            raise FileNotFoundError(folder)
        self.folders[folder][name] = data

    def rename(self, source: str, target: str) -> None:
        if source in self.folders:
            self.folders[target] = self.folders.pop(source)
            return
        self.write(target, self.read(source))
        self.delete(source)

    def make_folder(self, path: str) -> None:
        if path in self.folders:
            raise FileExistsError(path)
        self.folders[path] = {}

    def exists(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return path in self.folders or name in self.folders.get(folder, ())

    def names(self, path: str) -> list[str]:
        below = {
            each[len(path) + 1 :].partition("/")[0] for each in self.folders if each.startswith(f"{path}/")
        }
        return sorted({*self.folders.get(path, ()), *below})

    def delete(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        self.folders.get(folder, {}).pop(name, None)
        self.folders.pop(path, None)

    def sync_folder(self, path: str) -> None:
        return None


def rows() -> Iterator[Row]:
    """All measurements."""
    for segments in (20, 1000):
        yield from _store(segments)
    yield from _key_groups()


def epoch(files: MemoryFiles, number: int, segments: int, before: EpochMetadata | None) -> EpochMetadata:
    """Each subtask has written one more segment, and holds ``segments`` of them."""
    checksum = zlib.crc32(_CONTENT)
    refs = []
    for subtask in range(SUBTASKS):
        own = key_group_range(subtask, SUBTASKS, GROUPS)
        first = number if before is not None else number - segments + 1
        new = []
        for at in range(first, number + 1):
            path = f"shared/op/{at}-{subtask}"
            files.folders[f"{FOLDER}/shared/op"][f"{at}-{subtask}"] = _CONTENT
            file = FileRef(path=path, bytes=len(_CONTENT), checksum=checksum)
            new.append(SegmentRef(file=file, key_groups=own, epoch=at, entries=1000))
        old = before.operators["op"].subtasks[subtask].segments if before is not None else ()
        refs.append(
            SubtaskStateRef(
                operator_id="op",
                subtask=subtask,
                epoch=number,
                key_groups=own,
                segments=(*old, *new)[-segments:],
                state_types={"sum": "ValueState of LONG"},
                live_bytes=segments * SEGMENT,
                written_bytes=SEGMENT,
            )
        )
    operator = OperatorMetadata(
        operator_id="op",
        uid="sums",
        name="Sums",
        parallelism=SUBTASKS,
        max_parallelism=GROUPS,
        subtasks=tuple(refs),
    )
    return EpochMetadata(job_name="job", job_id="0" * 32, epoch=number, operators={"op": operator})


def _store(segments: int) -> Iterator[Row]:
    count = segments * SUBTASKS
    size = f"{count:,} files of {SUBTASKS:,} subtasks ({count * SEGMENT / 1e12:.2f} TB in segments of 1 MiB)"
    files = MemoryFiles()
    files.folders[FOLDER] = {}
    store = CheckpointStore(FOLDER, files=files)
    store.lead()
    first = epoch(files, segments, segments, None)
    data, took = timed(lambda: encoded(first))
    yield Row(PART, size, "metadata of an epoch", f"{megabytes(len(data))}, {seconds(took)}")
    store.commit(first)
    second = epoch(files, segments + 1, segments, first)
    _, took = timed(lambda: store.commit(second))
    yield Row(PART, size, "commit of an epoch that adds a file per subtask", seconds(took))
    third = epoch(files, segments + 2, segments, second)
    _, took = timed(lambda: store.commit(third))
    yield Row(PART, size, "the next commit, which lets go an epoch", seconds(took))
    _, took = timed(store.sweep)
    yield Row(
        PART,
        size,
        f"sweep (every 100 commits) of {len(files.folders[f'{FOLDER}/shared/op']):,} files",
        seconds(took),
    )
    _, took = timed(CheckpointStore(FOLDER, files=files).lead)
    yield Row(PART, size, "a new leader reads metadata, looks at all files", seconds(took))
    yield from _shipped(third, size)


def _shipped(metadata: EpochMetadata, size: str) -> Iterator[Row]:
    """What every task of the next epoch is given."""
    data, packed = timed(lambda: pickle.dumps(metadata.refs))
    _, unpacked = timed(lambda: pickle.loads(data))
    yield Row(
        PART, size, "refs that the driver packs for the tasks", f"{megabytes(len(data))}, {seconds(packed)}"
    )
    yield Row(PART, size, "refs unpacked by one task", seconds(unpacked))


def _key_groups() -> Iterator[Row]:
    size = f"{GROUPS:,} key groups, {SUBTASKS:,} subtasks"
    hashes = range(1_000_000)
    _, took = timed(lambda: [subtask_of(key_group_of(each, GROUPS), SUBTASKS, GROUPS) for each in hashes])
    yield Row(PART, size, "routing of a million keys", seconds(took))
    files = MemoryFiles()
    refs = epoch(files, 1, 1, None).operators["op"].subtasks
    spread = [key_group_range(index, 800, GROUPS) for index in range(800)]
    found, took = timed(lambda: [overlapping(refs, each) for each in spread])
    yield Row(
        PART,
        size,
        "rescaling to 800: whose state each reads",
        f"{seconds(took)}, at most {max(map(len, found))} each",
    )
