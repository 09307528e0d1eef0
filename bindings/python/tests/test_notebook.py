"""The notebook of the tutorial runs from its first to its last cell."""

import pathlib
import shutil

from conftest import optional

ROOT = pathlib.Path(__file__).parents[3]


def test_the_notebook_of_the_tutorial_runs(tmp_path):
    nbclient = optional("nbclient")
    optional("ipykernel")
    optional("matplotlib")
    import nbformat

    shutil.copy(ROOT / "datasets/faithful.csv", tmp_path)
    book = nbformat.read(ROOT / "docs/tutorial.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in book.cells), "the notebook is kept without outputs"
    nbclient.NotebookClient(book, timeout=None, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs if "data" in output]
    kinds = {kind for output in shown for kind in output["data"]}
    assert {"text/html", "image/svg+xml"} <= kinds
    assert sum("text/html" in output["data"] for output in shown) >= 5
    assert (tmp_path / "notebook-report.html").stat().st_size > 100_000
