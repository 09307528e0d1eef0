"""The cases that all fronts share: the same options by the same names give the same numbers, to the last bit on one machine."""

import json
import os
import pathlib
import subprocess
import warnings

import numpy as np
import pytest

import mixgist

ROOT = pathlib.Path(__file__).resolve().parents[3]
CASES = json.loads((ROOT / "tests/cases/faithful.json").read_text())
CLI = os.environ.get("MIXGIST_CLI")


def cases(kind):
    return pytest.mark.parametrize("case", CASES[kind], ids=[case["name"] for case in CASES[kind]])


@pytest.fixture(scope="module")
def fitted():
    x = np.loadtxt(ROOT / CASES["data"], delimiter=",", skiprows=1)
    return mixgist.fit(x, **CASES["fit"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if CLI is None:
        pytest.skip("MIXGIST_CLI does not name the command line")
    folder = tmp_path_factory.mktemp("cases")
    command_line(folder, ["fit", str(ROOT / CASES["data"]), "-o", "draws.npz"], CASES["fit"])
    return folder


def command_line(folder, words, options):
    for name, value in options.items():
        words = [*words, "--" + name.replace("_", "-"), *([] if value is True else [str(value)])]
    done = subprocess.run([CLI, *words, "--json"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def arguments(options):
    """The words of the command line as Python has them."""
    out = dict(options)
    if "," in str(out.get("units", "")):
        out["units"] = [float(number) for number in out["units"].split(",")]
    return out


def check(case, answer):
    assert case["expect"]
    for key, value in case["expect"].items():
        found = answer
        for part in key.split("."):
            found = found[int(part)] if part.isdigit() else found[part]
        assert found == (pytest.approx(value, rel=1e-12) if isinstance(value, float) else value), key


def test_fits_are_the_same(fitted, folder):
    assert mixgist.Draws.read(folder / "draws.npz") == mixgist.Draws(
        **{**fitted.draws._arrays(), "columns": ["eruptions", "waiting"]}
    )
    document = json.loads((folder / "draws.fit.json").read_text())
    assert document["verdict"] == fitted.verdict and document["model"] == fitted.model
    told = [row for row in document["agreement"]["traces"] if row["convergence"] is not None]
    assert {row["name"]: row["convergence"] for row in told} == {
        name: convergence._asdict() for name, convergence in fitted.diagnostics.items()
    }
    traces = {name: trace.tolist() for name, trace in fitted.traces.items()}
    assert document["traces"] | {"distance_to_estimate": document["distance_to_estimate"]} == traces


# What only files have: names of columns, and where they are.
ONLY_FILES = {"columns", "source"}


def summary(fitted, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mixgist.summarize(fitted.draws, **options)


def partition(fitted, **options):
    return mixgist.partition(fitted.draws, **options)


def asking(function):
    return lambda fitted, **options: function(fitted.draws, **options)


# The verbs whose whole answer is a document.
VERBS = {
    "summarize": summary,
    "partition": partition,
    **{name: asking(getattr(mixgist, name)) for name in ("credible", "components", "memberships", "representatives", "stability")},
    "align": asking(mixgist.align),
    "how-many": asking(mixgist.how_many),
}
DOCUMENTS = [pytest.param(verb, case, id=f"{verb}: {case['name']}") for verb in VERBS for case in CASES[verb]]


@pytest.mark.parametrize("verb, case", DOCUMENTS)
def test_documents_have_the_numbers(fitted, verb, case):
    check(case, VERBS[verb](fitted, **arguments(case["options"])).to_dict())


@pytest.mark.parametrize("verb, case", DOCUMENTS)
def test_documents_are_those_of_the_command_line(fitted, folder, verb, case):
    theirs = command_line(folder, [verb, "draws.npz"], case["options"])
    ours = VERBS[verb](fitted, **arguments(case["options"])).to_dict()
    assert ours.keys() | ONLY_FILES == theirs.keys() | ONLY_FILES
    for key in theirs.keys() - ONLY_FILES:
        assert ours[key] == theirs[key], key


def matrix(fitted, case):
    options = arguments(case["options"])
    return mixgist.distance_matrix(fitted.draws, options.pop("distance", "smix-w"), condensed=True, **options).values


@cases("distance_matrix")
def test_matrices_have_the_numbers(fitted, case):
    values = matrix(fitted, case)
    check(case, {"smallest": values.min(), "largest": values.max(), "pairs": len(values)})


@cases("distance_matrix")
def test_matrices_are_those_of_the_command_line(fitted, folder, case):
    command_line(folder, ["distance", "draws.npz", "--force", "--matrix", "matrix.npy"], case["options"])
    assert np.array_equal(np.load(folder / "matrix.npy"), matrix(fitted, case))
