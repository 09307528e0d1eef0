"""Runs the gallery and the figures of the concepts: python gallery.py OUT [NAME …]

A script in docs/gallery is cut at its lines `# %%`: the comment below such a line is text of the page, what follows is code. Each piece of code is run in a folder of its own; what it prints and
the figures that it writes follow it on the page. OUT/NAME/ gets the figures and page.md. With MIXGIST_GALLERY=short in the environment fits are short, as in the tests.
"""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import re
import sys
import time
import traceback
import warnings

# Threads of scikit-learn wait by spinning, which costs more than they gain on a busy machine.
os.environ.setdefault("OMP_NUM_THREADS", "1")
HERE = pathlib.Path(__file__).resolve().parent
GALLERY = HERE.parent / "gallery"
ROOT = HERE.parents[1]


def pieces(source: str) -> tuple[str, list[tuple[str, str]]]:
    """The text at the top, and pairs of text and code."""
    top = re.match(r'"""(.*?)"""\n', source, re.S)
    if top is None:
        raise SystemExit("a script of the gallery begins with its text")
    parts = []
    for part in re.split(r"^# %%.*\n", source[top.end() :], flags=re.M):
        text = re.match(r"(#[^\n]*\n)*", part)
        assert text is not None
        words = "\n".join(line.removeprefix("#").removeprefix(" ") for line in text.group().splitlines())
        if part.strip():
            parts.append((words, part[text.end() :].strip("\n")))
    return top.group(1).strip(), parts


def shorter(fit):
    """The fit of the tests: a tenth of the iterations."""

    def short(*arguments, iterations=5000, burn_in=1000, **options):
        return fit(*arguments, iterations=max(iterations // 10, 40), burn_in=burn_in // 10, **options)

    return short


def page(script: pathlib.Path, folder: pathlib.Path) -> None:
    """Runs a script in a folder and writes its page there."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.is_file():
            old.unlink()
    top, parts = pieces(script.read_text(encoding="utf-8"))
    lines = [top, ""]
    names: dict[str, object] = {"__name__": script.stem, "ROOT": ROOT, "HERE": GALLERY}
    os.chdir(folder)
    seen: set[str] = set()
    for text, code in parts:
        lines += [text, ""] if text else []
        if not code:
            continue
        lines += ["```python", code, "```", ""]
        said = io.StringIO()
        with contextlib.redirect_stdout(said), warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            exec(compile(code, str(script), "exec"), names)
        printed = said.getvalue().rstrip()
        ours = [f"MixgistWarning: {w.message}" for w in told if w.category.__name__ == "MixgistWarning"]
        printed = "\n".join([printed, *dict.fromkeys(ours)]).strip("\n")
        lines += ["```text", printed, "```", ""] if printed else []
        new = sorted({file.name for file in folder.iterdir()} - seen)
        seen.update(new)
        lines += [f"![{name.rsplit('.', 1)[0]}]({name})\n" for name in new if name.endswith((".svg", ".png"))]
        lines += [f"[{name}]({name})\n" for name in new if name.endswith(".html")]
    lines += [f"The script: `docs/gallery/{script.name}`."]
    (folder / "page.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    out = pathlib.Path(sys.argv[1]).resolve()
    if os.environ.get("MIXGIST_GALLERY") == "short":
        import mixgist

        mixgist.fit = shorter(mixgist.fit)
    wanted = sys.argv[2:]
    scripts = [*sorted(GALLERY.glob("*.py")), HERE / "concepts.py"]
    failed = []
    for script in scripts:
        if wanted and script.stem not in wanted:
            continue
        start = time.process_time()
        try:
            page(script, out / script.stem)
        except Exception:
            traceback.print_exc()
            failed.append(script.name)
        print(f"{script.stem:24} {time.process_time() - start:6.1f} s of processor time", flush=True)
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
