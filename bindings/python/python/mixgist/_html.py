"""A summary in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ._summary import Summary

# More atoms than this are summed up in a last row.
_LISTED = 12


def summary_html(summary: Summary) -> str:
    """The answer, its evidence and its atoms as a small table."""
    native = summary._native
    error = "" if summary.expected_loss_se is None else f" ± {summary.expected_loss_se:.2g}"
    rows = [
        ("estimate", f"draw {summary.draw} of {native.draws} (chain {summary.chain}, iteration {summary.iteration})"),
        ("expected loss", f"{summary.expected_loss:.5g}{error} ({native.distance}, {summary.slices} slices, seed {native.seed})"),
    ]
    if summary.runner_up is not None:
        behind = "" if summary.separation is None else f", {summary.separation:.1f} standard errors behind"
        rows.append(("runner-up", f"draw {summary.runner_up}{behind}"))
    if native.clusters is not None:
        rows.append(("clusters", f"{native.clusters} of {len(summary.labels_)} observations"))
    rows.extend(("warning", f"{warning.message}; {warning.advice}") for warning in summary.warnings)
    evidence = "".join(f"<tr><th style='text-align:left'>{escape(a)}</th><td style='text-align:left'>{escape(b)}</td></tr>" for a, b in rows)
    return f"<div><strong>mixgist summary</strong><table>{evidence}</table>{_atoms(summary)}</div>"


def _atoms(summary: Summary) -> str:
    weights, means, covariances = summary.weights_, summary.means_, summary.covariances_
    names = summary._native.columns or [f"x{c + 1}" for c in range(means.shape[1])]
    order = np.argsort(-weights, kind="stable")
    head = "".join(f"<th>{escape(name)}</th><th>sd</th>" for name in names)
    body = ""
    for k in order[:_LISTED]:
        sds = np.sqrt(np.diagonal(covariances[k]))
        cells = "".join(f"<td>{mean:.4g}</td><td>{sd:.4g}</td>" for mean, sd in zip(means[k], sds))
        body += f"<tr><td>{k}</td><td>{weights[k]:.4f}</td>{cells}</tr>"
    rest = order[_LISTED:]
    if len(rest):
        body += f"<tr><td>{len(rest)} more</td><td>{weights[rest].sum():.2g}</td><td colspan='{2 * len(names)}'></td></tr>"
    return f"<table><tr><th>atom</th><th>weight</th>{head}</tr>{body}</table>"
