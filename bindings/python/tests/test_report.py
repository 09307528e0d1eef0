"""The report, and the gallery from a model to its report."""

import pathlib
import runpy
import warnings

import numpy as np
import pytest

import mixgist
from conftest import optional


def test_a_report_in_memory_and_as_a_file(arrays, observations, tmp_path):
    draws = mixgist.Draws(*arrays, data=observations)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        summaries = [mixgist.summarize(draws, distance=name, slices=60) for name in ("sw", "smix-w")]
    path = mixgist.report(summaries, draws, title="Mine & yours", path=tmp_path / "report.html")
    assert path == tmp_path / "report.html"
    page = mixgist.report(summaries, draws, title="Mine & yours")
    assert page == path.read_text(encoding="utf-8")
    assert "Mine &amp; yours" in page and "<svg" in page
    with pytest.raises(FileExistsError):
        mixgist.report(summaries[0], path=tmp_path / "report.html")
    with pytest.raises(ValueError, match="the summary is of 120 draws"):
        mixgist.report(summaries[0], draws[:100])
    with pytest.raises(ValueError, match="no summary"):
        mixgist.report([])


def test_the_gallery_goes_from_a_numpyro_model_to_a_report(tmp_path):
    optional("numpyro")
    optional("arviz")
    example = pathlib.Path(__file__).parents[1] / "examples/numpyro_mixture.py"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        summary = runpy.run_path(str(example))["main"](tmp_path / "report.html", warmup=200, draws=150)
    assert summary.n_components == 3 and len(summary.distances) == 300
    # Old Faithful has two groups of eruptions, a third of them short ones.
    short = summary.weights_[summary.means_[:, 0] < -0.5].sum()
    assert 0.25 < short < 0.45
    assert np.unique(summary.labels_).size >= 2
    assert "Old Faithful in NumPyro" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_summary_under_slices_of_ones_own_is_reported(arrays):
    draws = mixgist.Draws(*arrays)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        summary = mixgist.summarize(draws, distance=lambda atoms: atoms.means.T)
    page = mixgist.report(summary, draws)
    assert "cannot be computed again" in page and "<dt>95 % ball</dt><dd>radius " in page


def test_parts_of_a_report_are_left_out(arrays):
    draws = mixgist.Draws(*arrays)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        summary = mixgist.summarize(draws, slices=20)
    whole = mixgist.report(summary, draws)
    parts = ["components", "conformal", "path", "representatives", "stability"]
    short = mixgist.report(summary, draws, without=parts)
    titles = {"components": "Components with intervals", "representatives": "more than one answer", "stability": "depend on choices"}
    for part, title in titles.items():
        assert title in whole and title not in short
    alone = mixgist.report(summary, draws, without="stability")
    assert titles["stability"] not in alone and titles["components"] in alone
    with pytest.raises(ValueError, match="without names 'chains', .*\nhint: one of: components, how-many, memberships, conformal"):
        mixgist.report(summary, draws, without=["chains"])
    for wrong in (5, None, [5]):
        with pytest.raises(TypeError, match="without"):
            mixgist.report(summary, draws, without=wrong)


def test_a_posterior_reports_on_its_summary(arrays, tmp_path):
    draws = mixgist.Draws(*arrays)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        posterior = mixgist.Posterior(draws, slices=20)
        parts = ["components", "conformal", "path", "representatives", "stability"]
        path = posterior.report(tmp_path / "report.html", without=parts)
        assert path.read_text(encoding="utf-8") == mixgist.report(posterior.summary(), draws, without=parts)


def test_titles_say_what_the_data_are(draws):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = mixgist.summarize(draws, slices=20)
        named = draws.with_data(np.zeros((3, 2)) + [[0.0], [1.0], [2.0]], ["length", "width <cm>"])
        summary = mixgist.summarize(named, slices=20)
    assert "<title>Mixture posterior</title>" in mixgist.report(plain)
    assert "<title>Mixture posterior: length, width &lt;cm&gt;</title>" in mixgist.report(summary)


def test_figures_are_written_as_svg_pdf_and_png(draws, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        figure = mixgist.figure(mixgist.summarize(draws, slices=20), "map", draws=draws)
    for extension, start in [("svg", b"<svg"), ("pdf", b"%PDF-1.4"), ("png", b"\x89PNG")]:
        figure.write(tmp_path / f"map.{extension}")
        assert (tmp_path / f"map.{extension}").read_bytes().startswith(start)
    with pytest.raises(ValueError, match=r"path takes a name that ends in .svg, .pdf or .png"):
        figure.write(tmp_path / "map.eps")
