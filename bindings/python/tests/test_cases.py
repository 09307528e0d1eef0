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
        words = [*words, "--" + name.replace("_", "-"), str(value)]
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
        assert answer[key] == (pytest.approx(value, rel=1e-12) if isinstance(value, float) else value), key


def test_fits_are_the_same(fitted, folder):
    assert mixgist.Draws.read(folder / "draws.npz") == mixgist.Draws(
        **{**fitted.draws._arrays(), "columns": ["eruptions", "waiting"]}
    )
    document = json.loads((folder / "draws.json").read_text())
    assert document["verdict"] == fitted.verdict and document["model"] == fitted.model
    assert {row["name"]: row["rhat"] for row in document["diagnostics"]} == {
        name: convergence.rhat for name, convergence in fitted.diagnostics.items()
    }
    assert document["traces"] == {name: trace.tolist() for name, trace in fitted.traces.items()}


def summary(fitted, case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mixgist.summarize(fitted.draws, **arguments(case["options"])).to_dict()


@cases("summarize")
def test_summaries_have_the_numbers(fitted, case):
    check(case, summary(fitted, case))


@cases("summarize")
def test_summaries_are_those_of_the_command_line(fitted, folder, case):
    theirs = command_line(folder, ["summarize", "draws.npz"], case["options"])
    ours = summary(fitted, case)
    # What only files have: names of columns, and where they are.
    ignored = {"columns", "source"}
    assert ignored <= theirs.keys()
    assert {k: v for k, v in ours.items() if k not in ignored} == {k: v for k, v in theirs.items() if k not in ignored}


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


def partition(fitted, case):
    found = mixgist.partition(fitted.draws, **case["options"])
    return {
        "clusters": found.n_clusters,
        "labels": found.labels_.tolist(),
        "expected_loss": found.expected_loss,
        "expected_losses": found.expected_losses,
        "certainty": found.certainty_.tolist(),
        "radius": found.ball.radius,
        "runs_agreeing": found.runs_agreeing,
        "loss": found.loss,
    }


@cases("partition")
def test_partitions_have_the_numbers(fitted, case):
    check(case, partition(fitted, case))


@cases("partition")
def test_partitions_are_those_of_the_command_line(fitted, folder, case):
    theirs = command_line(folder, ["partition", "draws.npz"], case["options"])
    theirs["radius"] = theirs["ball"]["radius"]
    for key, value in partition(fitted, case).items():
        assert value == theirs[key], key
