"""Tasks in columns are the tasks that were put into them, in any order that is asked for."""

from __future__ import annotations

from hypothesis import given, strategies as st

from repo_mcp.indexing.build.tasks import FileTask, FileTasks, build_tasks, size_of

# names that sort before, as and behind the slash, and those that UTF-8 alone puts in order
_NAMES = st.text("a.-0/\ud800\uffff\U00010000", min_size=1, max_size=3).map(
    lambda text: text.replace("/", "~")
)
_TASKS = st.builds(
    FileTask,
    st.lists(_NAMES, min_size=1, max_size=4).map("/".join),
    st.just(b"") | st.binary(min_size=16, max_size=16),
    st.integers(0, 1 << 40),
)
_LISTS = st.lists(_TASKS, max_size=12, unique_by=lambda task: task.path)


@given(_LISTS, st.integers(-13, 13), st.integers(-13, 13))
def test_tasks_in_columns_are_a_list(tasks: list[FileTask], begin: int, end: int) -> None:
    columns = FileTasks(tasks)
    assert list(columns) == tasks
    assert list(columns[begin:end]) == tasks[begin:end]
    assert list(columns[begin:][:end]) == tasks[begin:][:end]
    assert [columns[at] for at in range(-len(tasks), len(tasks))] == tasks * 2
    assert size_of(columns[begin:end]) == size_of(tasks[begin:end])
    assert [item.path for item in reversed(columns)] == [item.path for item in reversed(tasks)]


@given(_LISTS, st.booleans(), st.integers(0, 3))
def test_tasks_are_put_in_order(tasks: list[FileTask], by_folder: bool, begin: int) -> None:  # noqa: FBT001 how they come
    if by_folder:
        tasks.sort(key=lambda task: task.path.rpartition("/")[::2])
    assert list(FileTasks(tasks)[begin:].in_order()) == sorted(tasks[begin:])


@given(_LISTS, st.data())
def test_tasks_are_merged_by_path(tasks: list[FileTask], data: st.DataObject) -> None:
    ordered = sorted(tasks)
    chosen = data.draw(st.sets(st.sampled_from(ordered))) if ordered else set()
    some, others = sorted(chosen), [item for item in ordered if item not in chosen]
    merged = FileTasks(others).merge(FileTasks(some))
    assert list(merged) == ordered


@given(st.integers(0, 3))
def test_few_tasks_are_put_among_many(seed: int) -> None:
    many = [FileTask(f"f{at:03}/x", b"", at) for at in range(100)]
    few = [FileTask(f"f{at:03}/{name}", b"0" * 16, 1) for at, name in ((seed, "a"), (50, "y"))]
    assert list(FileTasks(few).merge(FileTasks(many))) == sorted([*many, *few])


@given(_LISTS)
def test_files_are_added_by_folder_and_by_path(tasks: list[FileTask]) -> None:
    unknown = [item._replace(known_fingerprint=b"") for item in tasks]
    by_folder, by_path = FileTasks(), FileTasks()
    for item in unknown:
        folder, slash, name = item.path.rpartition("/")
        by_folder.add_folder(folder + slash, [(name, item.size)])
        by_path.add_path(item.path.encode("utf-8", "surrogatepass"), item.size)
    assert list(by_folder) == list(by_path) == unknown


@given(_LISTS)
def test_jobs_are_the_same_for_both_forms(tasks: list[FileTask]) -> None:
    of_columns, of_list = (
        [(list(job.wanted), job.retained_bytes) for job in build_tasks(form, parse=True)]
        for form in (FileTasks(tasks), tasks)
    )
    assert of_columns == of_list
