"""Pages that mkdocs gets from elsewhere: the gallery, figures of the concepts, help texts of the program, fields of the documents."""

from __future__ import annotations

import html
import json
import os
import pathlib
import re
import subprocess

from mkdocs.structure.files import File, Files

ROOT = pathlib.Path(__file__).resolve().parents[2]
MADE = pathlib.Path(os.environ.get("MIXGIST_MADE", ROOT / "target/docs"))


def on_files(files: Files, config) -> Files:
    add = lambda path, text: files.append(File.generated(config, path, content=text))
    add("reference/command-line.md", command_line())
    add("reference/documents.md", documents())
    entries = []
    for folder in sorted(MADE.iterdir()):
        for figure in sorted(folder.glob("*.[sph][vnt]*")):
            if figure.suffix in (".svg", ".png", ".html"):
                place = "concepts" if folder.name == "concepts" else f"gallery/{folder.name}"
                files.append(File.generated(config, f"{place}/{figure.name}", abs_src_path=str(figure)))
        if folder.name != "concepts":
            text = (folder / "page.md").read_text(encoding="utf-8")
            add(f"gallery/{folder.name}/index.md", text)
            entries.append((folder.name, text))
    add("gallery/index.md", gallery(entries))
    return files


def on_config(config):
    """The gallery's entries in the menu."""
    names = sorted(folder.name for folder in MADE.iterdir() if folder.name != "concepts")
    place = next(item for item in config["nav"] if isinstance(item, dict) and "Gallery" in item)
    place["Gallery"] = ["gallery/index.md", *(f"gallery/{name}/index.md" for name in names)]
    return config


def gallery(entries: list[tuple[str, str]]) -> str:
    """The first page of the gallery: every entry with its first sentence and first figure."""
    lines = ["# Gallery", "", "Each entry is a script with its output and figures, and says what to look for. Choose the one that is most like your own problem. All scripts are run by the tests.", ""]
    for name, text in entries:
        title, first = re.match(r"# ([^\n]*)\n+(.*?)\n\n", text, re.S).groups()
        # Links of the entry lead from its own folder.
        first = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", first)
        lines += [f"## [{title}]({name}/index.md)", "", first, ""]
        figure = re.search(r"!\[(.*?)\]\(([^)]+\.(?:svg|png))\)", text)
        if figure:
            lines += [f"[![{figure.group(1)}]({name}/{figure.group(2)}){{ width=420 }}]({name}/index.md)", ""]
    return "\n".join(lines)


def help_of(*words: str) -> str:
    program = os.environ.get("MIXGIST_CLI", str(ROOT / "target/debug/mixgist"))
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout


def command_line() -> str:
    """What the program says about itself."""
    top = help_of()
    verbs = re.findall(r"^  ([a-z-]+) {2,}", top[top.index("Commands:") : top.index("Options:")], re.M)
    lines = ["# Command line", "", "These are the help texts of the program itself: `mixgist help VERB` prints them.", "", "```text", top.rstrip(), "```", ""]
    for verb in verbs:
        if verb != "help":
            lines += [f"## {verb}", "", "```text", help_of(verb).rstrip(), "```", ""]
    return "\n".join(lines)


def kind(schema: dict, links: bool = True) -> str:
    """The type of a field in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})" if links else name
    several = schema.get("anyOf") or schema.get("oneOf")
    if several:
        return " or ".join(dict.fromkeys(kind(one) for one in several))
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    given = schema.get("type", "any value")
    names = given if isinstance(given, list) else [given]
    if "array" in names:
        return f"list of {kind(schema.get('items', {}) if isinstance(schema.get('items', {}), dict) else {})}"
    return " or ".join(names)


def cell(text: str) -> str:
    return html.escape(" ".join(text.split()), quote=False).replace("|", "\\|")


def table(schema: dict) -> list[str]:
    required = schema.get("required", [])
    lines = ["| field | type | what it is |", "|---|---|---|"]
    for name, field in schema.get("properties", {}).items():
        optional = "" if name in required else " (may be missing)"
        lines.append(f"| `{name}` | {kind(field)}{optional} | {cell(field.get('description', ''))} |")
    return [*lines, ""]


def documents() -> str:
    """Every document with every field; parts that several documents have stand once."""
    lines = ["# Documents", "", "What `--json` prints and `-o` writes, and what `to_dict()` gives in Python. The JSON Schemas themselves are in `docs/schema`.", ""]
    parts: dict[str, dict] = {}
    for path in sorted((ROOT / "docs/schema").glob("*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        parts |= schema.get("$defs", {})
        lines += [f"## {path.stem}", "", cell(schema.get("description", "")), "", *table(schema)]
    lines += ["## Parts", ""]
    for name, part in sorted(parts.items()):
        lines += [f"### {name}", "", cell(part.get("description", "")), ""]
        if "properties" in part:
            lines += table(part)
        for one in part.get("oneOf", part.get("anyOf", [])):
            said = cell(one.get("description", ""))
            lines.append(f"- {kind(one)}{': ' if said else ''}{said}")
            lines += [""] + table(one) if "properties" in one else []
        if "enum" in part:
            lines.append(f"One of {kind(part)}.")
        lines.append("")
    return "\n".join(lines)
