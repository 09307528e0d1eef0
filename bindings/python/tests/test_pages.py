"""Every command and code block of the READMEs and the site is run, page by page, in the order of the page and in a folder of its own.

Fences have a language. `sh` and `python` are run here, `r` by R's tests, `rust` by those of the crates; `text`, `json` and `stan` are not programs. Two comments steer this:
`<!-- run` with fences and `-->` is run but not shown; `<!-- not run: reason -->` stands before a fence that is not run. Fits are short here: a tenth of their iterations.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import warnings

import pytest
import threadpoolctl

import mixgist
from conftest import optional

ROOT = pathlib.Path(__file__).parents[3]
PAGES = sorted([ROOT / "README.md", ROOT / "bindings/python/README.md", ROOT / "bindings/r/README.md", *(ROOT / "docs").rglob("*.md")])
PROGRAMS = {"sh", "python", "r", "rust"}
OTHERS = {"text", "json", "stan"}
FENCE = re.compile(r"(?P<skip><!-- not run: (?P<reason>[^\n]+?) -->\s*\n)?^(?P<blank> *)```(?P<language>[^\n]*)\n(?P<code>.*?)^ *```$", re.M | re.S)

SHORT = f"""#!{sys.executable}
# mixgist, with a tenth of the iterations.
import os, sys
words = sys.argv[1:]
if words[:1] == ["fit"] and "--checkpoint" not in words:
    if "--iterations" in words:
        at = words.index("--iterations") + 1
        words[at] = str(int(words[at]) // 10)
    else:
        words += ["--iterations", "500"]
    if "--burn-in" not in words and "--resume" not in words:
        words += ["--burn-in", "100"]
os.execv({{program!r}}, ["mixgist", *words])
"""


def blocks(text):
    """Language and code of each block that is run, in order."""
    for found in FENCE.finditer(text):
        language = found["language"].strip()
        assert language in PROGRAMS | OTHERS, f"a fence has the language {language!r}"
        if found["skip"] is None and language in PROGRAMS:
            blank = found["blank"]
            yield language, "".join(line.removeprefix(blank) for line in found["code"].splitlines(keepends=True))


def test_the_pages_are_found_and_read():
    assert len(PAGES) > 20
    text = "<!-- run\n```sh\na\n```\n-->\n\n<!-- not run: slow -->\n```sh\nb\n```\n    ```python\n    c\n      d\n    ```\n```text\ne\n```\n"
    assert list(blocks(text)) == [("sh", "a\n"), ("python", "c\n  d\n")]


def test_the_reference_has_every_public_name():
    text = (ROOT / "docs/reference/python.md").read_text(encoding="utf-8")
    documented = {name.rsplit(".", 1)[1] for name in re.findall(r"^::: (mixgist\.\S+)$", text, re.M)}
    assert documented | {"__version__"} == set(dir(mixgist)) | {"MixtureSummary"}


@pytest.fixture()
def place(tmp_path, monkeypatch):
    """A folder with the data sets, and mixgist on the path."""
    program = os.environ.get("MIXGIST_CLI")
    if program is None:
        pytest.skip("MIXGIST_CLI does not name the command line")
    for file in (ROOT / "datasets").glob("*.csv"):
        shutil.copy(file, tmp_path)
    shutil.copy(tmp_path / "faithful.csv", tmp_path / "data.csv")
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    wrapper = bin_folder / "mixgist"
    wrapper.write_text(SHORT.format(program=str(pathlib.Path(program).resolve())))
    wrapper.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{bin_folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(mixgist, "fit", short(mixgist.fit))
    return tmp_path


def short(fit):
    def fitted(*arguments, iterations=5000, burn_in=1000, **options):
        return fit(*arguments, iterations=iterations // 4, burn_in=burn_in // 4, **options)

    return fitted


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_run(page, place):
    text = page.read_text(encoding="utf-8")
    names = {"__name__": "page"}
    for language, code in blocks(text):
        if language == "sh":
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", code], cwd=place, capture_output=True, text=True)
            assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"
        elif language == "python":
            for package in set(re.findall(r"^\s*(?:import|from) (arviz|numpyro|sklearn|jax)", code, re.M)):
                optional(package)
            with warnings.catch_warnings(), threadpoolctl.threadpool_limits(1):
                warnings.simplefilter("ignore")
                exec(compile(code, str(page), "exec"), names)
