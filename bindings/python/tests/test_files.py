"""Files that cannot be read or written: the exceptions that Python has for it, with their number, their file and the core's message."""

import errno
import os
import pathlib
import tempfile
import warnings

import numpy as np
import pytest

import mixgist


@pytest.fixture(scope="module")
def summary(draws):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mixgist.summarize(draws, slices=20)


@pytest.fixture(scope="module")
def answer(draws, summary):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mixgist.components(draws, estimate=summary, slices=20)


@pytest.fixture(params=["draws", "summary", "document", "report"])
def writer(request, draws, summary, answer):
    """Something that writes a file, and the extension that it needs."""
    return {
        "draws": (draws.write, "npz"),
        "summary": (summary.write, "json"),
        "document": (answer.write, "json"),
        "report": (lambda path, force=False: mixgist.report(summary, path=path, force=force), "html"),
    }[request.param]


READERS = {"npz": mixgist.Draws.read, "csv": mixgist.Draws.read, "parquet": mixgist.Draws.read, "json": mixgist.Summary.read}


def check(caught, number, path, message):
    assert caught.value.errno == number
    assert caught.value.filename == str(path)
    assert message in str(caught.value) and "--" not in str(caught.value)
    assert str(caught.value).count(str(path)) <= 1 + message.count(str(path))


@pytest.mark.parametrize("extension", READERS)
def test_what_cannot_be_read(extension, tmp_path):
    path = tmp_path / f"none.{extension}"
    with pytest.raises(FileNotFoundError) as caught:
        READERS[extension](path)
    check(caught, errno.ENOENT, path, "cannot open: ")
    assert str(caught.value).startswith("[Errno 2] cannot open: ") and "os error" not in str(caught.value)
    path.mkdir()
    with pytest.raises(IsADirectoryError) as caught:
        READERS[extension](path)
    check(caught, errno.EISDIR, path, "is a directory, expected a file" if extension == "json" else "is a directory without files of draws")
    contents = tmp_path / f"contents.{extension}"
    contents.write_bytes(b"\x00 nonsense \xff")
    with pytest.raises(ValueError, match="contents"):
        READERS[extension](contents)


def test_stan_files_that_are_missing(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        mixgist.Draws.from_cmdstan([tmp_path / "chain-1.csv"])
    check(caught, errno.ENOENT, tmp_path / "chain-1.csv", "cannot open: ")


def test_what_cannot_be_written(writer, tmp_path):
    write, extension = writer
    path = tmp_path / "missing" / f"out.{extension}"
    with pytest.raises(FileNotFoundError) as caught:
        write(path)
    check(caught, errno.ENOENT, path, f"the folder {tmp_path / 'missing'} does not exist")
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(NotADirectoryError) as caught:
        write(file / f"out.{extension}")
    check(caught, errno.ENOTDIR, file / f"out.{extension}", "is not a folder")
    folder = tmp_path / f"folder.{extension}"
    folder.mkdir()
    for force in (False, True):
        with pytest.raises(IsADirectoryError) as caught:
            write(folder, force=force)
        check(caught, errno.EISDIR, folder, "is a directory, expected the name of a file to write")


def test_files_that_exist_are_replaced_when_told_to(writer, tmp_path):
    write, extension = writer
    path = tmp_path / f"out.{extension}"
    path.write_text("mine")
    with pytest.raises(FileExistsError) as caught:
        write(path)
    check(caught, errno.EEXIST, path, "exists already (force=True replaces it)")
    assert path.read_text() == "mine"
    write(path, force=True)
    assert path.stat().st_size > 100


NOBODY = 65534


@pytest.fixture
def ordinary_folder(tmp_path):
    """A folder of a user who may not do everything. Root may, and is somebody else meanwhile, where the system lets it."""
    if os.geteuid() != 0:
        yield tmp_path
        return
    with tempfile.TemporaryDirectory() as folder:
        try:
            os.chown(folder, NOBODY, NOBODY)
            os.seteuid(NOBODY)
            os.listdir(folder)
        except OSError as refused:
            os.seteuid(0)
            pytest.skip(f"NOT TESTED: root cannot become an ordinary user here: {refused}")
        try:
            yield pathlib.Path(folder)
        finally:
            os.seteuid(0)


@pytest.mark.skipif(os.name == "nt", reason="permissions")
def test_what_is_not_permitted(writer, draws, ordinary_folder):
    write, extension = writer
    write(ordinary_folder / f"mine.{extension}")
    closed = ordinary_folder / "closed"
    closed.mkdir()
    draws.write(closed / "draws.npz")
    (closed / "draws.npz").chmod(0)
    with pytest.raises(PermissionError) as caught:
        mixgist.Draws.read(closed / "draws.npz")
    check(caught, errno.EACCES, closed / "draws.npz", "cannot open: ")
    closed.chmod(0o500)
    try:
        with pytest.raises(PermissionError) as caught:
            write(closed / f"out.{extension}")
        check(caught, errno.EACCES, closed / f"out.{extension}", "cannot write: ")
    finally:
        closed.chmod(0o700)


@pytest.mark.skipif(os.name == "nt", reason="limits of a process")
@pytest.mark.parametrize("extension", ["npz", "csv", "parquet"])
def test_a_file_that_cannot_grow(draws, extension, tmp_path):
    """A limit on the size of files stands for a full disk: both are found in the middle of writing."""
    import resource
    import signal

    path = tmp_path / f"out.{extension}"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError) as caught:
            draws.write(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    check(caught, errno.EFBIG, path, "cannot write")
    assert list(tmp_path.iterdir()) == []


def test_checkpoints_of_a_fit(tmp_path):
    x = np.random.default_rng(0).standard_normal(20)
    run = {"chains": 1, "iterations": 20, "burn_in": 10, "thin": 1}
    with pytest.raises(FileNotFoundError) as caught:
        mixgist.fit(x, resume=tmp_path / "run", **run)
    check(caught, errno.ENOENT, tmp_path / "run", "there is no run to resume")
    mixgist.fit(x, checkpoint=tmp_path / "run", **run)
    with pytest.raises(FileExistsError) as caught:
        mixgist.fit(x, checkpoint=tmp_path / "run", **run)
    check(caught, errno.EEXIST, tmp_path / "run", "holds the checkpoint of a run already")
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError) as caught:
        mixgist.fit(x, checkpoint=tmp_path / "file" / "run", **run)
    assert caught.value.filename == str(tmp_path / "file" / "run") and caught.value.errno == errno.ENOTDIR


def test_reports_are_html(summary, tmp_path):
    with pytest.raises(ValueError, match=r"report\.pdf: report takes a name that ends in \.html or \.htm"):
        mixgist.report(summary, path=tmp_path / "report.pdf")
