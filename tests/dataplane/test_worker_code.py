"""What a job brings to its workers: told to Spark once each, and to no other job's workers."""

import json
import os
import stat
import tarfile
import zipfile

import pytest

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.spark.worker_code import WorkerCode, provide_code, provide_package
from flinkpy_dagster.errors import InvalidProgram


class Context:
    """What is asked of a SparkContext."""

    pythonExec = "python3"

    def __init__(self, master: str):
        self.master = master
        self.environment = {"PYTHONHASHSEED": "0"}
        self._python_includes: list[str] = []
        self.added: list[str] = []

    def addArchive(self, path: str) -> None:
        self.added.append(path)

    def contents(self) -> list[list[str]]:
        """The names in each archive that was added."""
        return [zipfile.ZipFile(each.split("#")[0]).namelist() for each in self.added]


@pytest.fixture
def code(tmp_path):
    (tmp_path / "code" / "shop").mkdir(parents=True)
    (tmp_path / "code" / "shop" / "prices.py").write_text("")
    (tmp_path / "alone.py").write_text("")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        with zipfile.ZipFile(tmp_path / name / "data.zip", "w") as archive:
            archive.writestr("name.txt", name)
    return tmp_path


def provided(context: Context, **options: object) -> WorkerCode:
    pairs = {key.replace("_", "."): str(value) for key, value in options.items()}
    return provide_code(context, Configuration.from_dict(pairs))


def search_path(worker_code: WorkerCode) -> list[str]:
    return worker_code.environment["PYTHONPATH"].split(os.pathsep)


def test_files_when_workers_are_of_this_machine_then_they_read_folders_where_they_are(code):
    context = Context("local[2]")
    found = [provided(context, python_files=f"{code}/code,file://{code}/alone.py") for _ in range(2)]
    folder, alone = search_path(found[0])
    assert (folder, os.listdir(alone), context.added) == (str(code / "code"), ["alone.py"], [])
    assert found[0] == found[1]  # and so the same workers


def test_files_when_one_has_changed_then_other_workers_run_it(code):
    context = Context("local[2]")
    before = provided(context, python_files=code / "code")
    (code / "code" / "shop" / "prices.py").write_text("CHANGED = True")
    assert provided(context, python_files=code / "code") != before


def test_files_when_workers_are_elsewhere_then_spark_unpacks_them_there(code):
    context = Context("spark://host:7077")
    found = [provided(context, python_files=f"{code}/code,{code}/alone.py") for _ in range(2)]
    package, folder, alone = context.contents()
    assert "flinkpy_dagster/__init__.py" in package
    assert (folder, alone) == (["shop/prices.py"], ["alone.py"])
    names = [each.split("#")[1] for each in context.added]
    assert search_path(found[0])[:3] == [names[1], names[2], names[0]]


def test_package_when_workers_are_elsewhere_then_all_functions_of_the_context_find_it():
    context = Context("spark://host:7077")
    provide_package(context)
    provided(context)
    assert len(context.added) == 1
    assert context.environment["PYTHONPATH"].split(os.pathsep)[0] == context.added[0].split("#")[1]


def test_archives_of_the_same_name_when_their_content_differs_then_both_are_there(code):
    context = Context("spark://host:7077")
    found = [provided(context, python_archives=f"{code}/{name}/data.zip#data") for name in ("one", "two")]
    folders = [json.loads(each.environment["FLINKPY_ARCHIVES"])["data"] for each in found]
    assert len(set(folders)) == 2
    assert [each.split("#")[1] for each in context.added[1:]] == folders
    assert len({os.path.basename(each.split("#")[0]) for each in context.added}) == 3


def test_zip_when_it_has_links_then_spark_is_given_what_they_name(code):
    (code / "outside").write_text("outside")
    (code / "outside").chmod(0o755)
    link, program = stat.S_IFLNK | 0o777, stat.S_IFREG | 0o755
    with zipfile.ZipFile(code / "venv.zip", "w") as archive:
        for name, mode, text in (
            ("bin/python", link, "python3"),
            ("bin/python3", link, "../real/python"),
            ("real/python", program, "inside"),
            ("bin/outside", link, str(code / "outside")),
            ("lib64", link, "real"),
        ):
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            archive.writestr(entry, text)
    context = Context("local[2]")
    provided(context, python_archives=f"{code}/venv.zip")
    with zipfile.ZipFile(context.added[0].split("#")[0]) as archive:
        found = {each.filename: (archive.read(each), each.external_attr >> 16) for each in archive.infolist()}
    inside = (b"inside", program)
    assert found == {
        "bin/python": inside,
        "bin/python3": inside,
        "real/python": inside,
        "bin/outside": (b"outside", program),
        "lib64/python": inside,
    }


def test_zip_when_a_link_leads_nowhere_then_it_is_named(code):
    with zipfile.ZipFile(code / "venv.zip", "w") as archive:
        entry = zipfile.ZipInfo("bin/python")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "nobody")
    with pytest.raises(InvalidProgram, match="link 'bin/python' to 'nobody', which is not there"):
        provided(Context("local[2]"), python_archives=f"{code}/venv.zip")


@pytest.mark.parametrize("target", ["/usr/bin/python3", "../../python3", "python3"])
def test_tar_when_a_link_would_lead_elsewhere_then_refused_before_spark_is_given_it(code, target):
    with tarfile.open(code / "venv.tar.gz", "w:gz") as archive:
        link = tarfile.TarInfo("venv/python")
        link.type, link.linkname = tarfile.SYMTYPE, target
        archive.addfile(link)
    context = Context("local[2]")
    with pytest.raises(InvalidProgram, match=f"link 'venv/python' to '{target}', which Hadoop does not"):
        provided(context, python_archives=f"{code}/venv.tar.gz")
    assert context.added == []


def test_executable_when_it_lies_in_a_tar_then_refused_as_it_could_not_be_run(code):
    with tarfile.open(code / "venv.tgz", "w:gz"):
        pass
    with pytest.raises(InvalidProgram, match=r"'venv/bin/python' is in '.*venv.tgz', and .*: make a zip"):
        provided(
            Context("local[2]"),
            python_archives=f"{code}/venv.tgz#venv",
            python_executable="venv/bin/python",
        )


def test_executable_when_it_lies_in_an_archive_then_it_is_that_of_the_executors_folder(code):
    context = Context("spark://host:7077")
    archives = {"python_archives": f"{code}/one/data.zip#venv", "python_executable": "venv/bin/python"}
    found = provided(context, **archives)
    assert found.executable == f"{context.added[1].split('#')[1]}/bin/python"


def test_functions_when_made_inside_of_the_block_then_only_they_have_the_code():
    context = Context("local")
    with WorkerCode({"PYTHONPATH": "lib"}, "python3.11").applied(context):
        inside = dict(context.environment), context.pythonExec
    assert inside == ({"PYTHONHASHSEED": "0", "PYTHONPATH": "lib"}, "python3.11")
    assert (context.environment, context.pythonExec) == ({"PYTHONHASHSEED": "0"}, "python3")


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("python_files", "/missing.py", "Python file '/missing.py' does not exist."),
        ("python_archives", "/missing.zip#data", "Python archive '/missing.zip' does not exist."),
        ("python_requirements", "/missing.txt", "Requirements file '/missing.txt' does not exist."),
        ("python_requirements", f"{__file__}#/none", "'/none' is no folder: after # of the requirements"),
    ],
)
def test_code_when_it_is_missing_then_it_is_named(key, value, sentence):
    with pytest.raises(InvalidProgram, match=sentence.replace("(", r"\(")):
        provided(Context("local"), **{key: value})
