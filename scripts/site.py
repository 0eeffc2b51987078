#!/usr/bin/env python3
"""Prepares and builds the site, and checks its links. Usage: site.py prepare | build | check FOLDER

prepare  build/site-src: every Markdown page of the repository at its own path, so that links between pages work as they
         stand. Other files that a page links to are copied; a folder without a README gets a page that lists its files.
         Adds the pages of the API reference; runs Doxygen if it is installed.
build    prepare, then mkdocs (mkdocs.yml) into build/site.
check    every link of FOLDER's pages leads to a file and an anchor that exist, and no page loads anything from outside.
"""
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "build" / "site-src"
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "src/README.md", "bench/RESULTS.md"]
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s#]*)(#[^)\s]*)?(\))")
WORKER = '<script src="https://unpkg.com/iframe-worker/shim"></script>'
MODULES = ["sotto", "sotto.learn", "sotto.estimators", "sotto.spark", "sotto.spacy", "sotto.presidio"]


def listing(folder):
    """A page for a folder without a README."""
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    return f"# {folder.relative_to(ROOT)}\n\n" + "".join(f"- [{name}]({name})\n" for name in names)


def copy(path):
    target = SOURCE / path.relative_to(ROOT)
    target.parent.mkdir(parents=True, exist_ok=True)
    # Shown as text by a browser, not run or downloaded.
    shutil.copyfile(path, target)


def with_folders(text, page):
    """The page's text; a link to a folder becomes one to its README, and files that it needs are copied."""

    def one(match):
        before, target, anchor, after = match.groups()
        if not target or ":" in target:
            return match[0]
        path = (page.parent / urllib.parse.unquote(target)).resolve()
        if not path.is_relative_to(ROOT) or not path.exists():
            return match[0]
        if path.is_dir():
            index = SOURCE / path.relative_to(ROOT) / "README.md"
            if not (path / "README.md").exists() and not index.exists():
                index.parent.mkdir(parents=True, exist_ok=True)
                index.write_text(listing(path), encoding="utf-8")
                for file in filter(pathlib.Path.is_file, path.iterdir()):
                    copy(file)
            target = target.rstrip("/") + "/README.md"
        elif path.suffix != ".md":
            copy(path)
        return f"{before}{target}{anchor or ''}{after}"

    return LINK.sub(one, text)


def api_pages():
    folder = SOURCE / "api"
    folder.mkdir()
    blocks = "\n".join(f"## {module}\n\n::: {module}\n    options:\n      show_root_heading: false\n" for module in MODULES)
    (folder / "python.md").write_text(f"# Python API\n\nMade from the docstrings; [python.md](../docs/python.md) is the guide.\n\n{blocks}",
                                      encoding="utf-8")
    text = "# C++ API\n\n[The guide](../docs/cpp.md) explains the headers. "
    if shutil.which("doxygen"):
        settings = {"PROJECT_NAME": "Sotto", "INPUT": f"{ROOT}/include/sotto", "OUTPUT_DIRECTORY": str(folder), "HTML_OUTPUT": "cpp",
                    "GENERATE_LATEX": "NO", "HAVE_DOT": "NO", "EXTRACT_ALL": "YES", "QUIET": "YES", "WARNINGS": "NO", "STRIP_FROM_PATH": f"{ROOT}/include"}
        subprocess.run(["doxygen", "-"], input="".join(f"{name} = {value}\n" for name, value in settings.items()), text=True,
                       check=True, stdout=subprocess.DEVNULL)
        text += "[The reference of every public class and function](cpp/index.html) is made by Doxygen.\n"
    else:
        text += "Doxygen was not installed when this site was built, so the reference is missing.\n"
    (folder / "cpp.md").write_text(text, encoding="utf-8")


def prepare():
    shutil.rmtree(SOURCE, ignore_errors=True)
    SOURCE.mkdir(parents=True)
    for page in [*map(ROOT.joinpath, PAGES), *sorted((ROOT / "docs").rglob("*.md"))]:
        target = SOURCE / page.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(with_folders(page.read_text(encoding="utf-8"), page), encoding="utf-8")
    api_pages()


def load_worker_from_here(site):
    """The offline search needs a small script that the theme would load from another host. Our copy replaces it."""
    copy_of_it = ROOT / "build" / "site-venv" / "iframe-worker" / "shim" / "index.js"
    if copy_of_it.exists():
        shutil.copyfile(copy_of_it, site / "assets" / "iframe-worker.js")
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8", errors="surrogateescape")
        here = "../" * len(page.relative_to(site).parts[:-1]) + "assets/iframe-worker.js"
        local = f'<script src="{here}"></script>' if copy_of_it.exists() else ""
        page.write_text(text.replace(WORKER, local), encoding="utf-8", errors="surrogateescape")


def build():
    prepare()
    program = ROOT / "build" / "site-venv" / "bin" / "mkdocs"
    subprocess.run([program, "build", "-q", "-f", ROOT / "mkdocs.yml"], cwd=ROOT, check=True,
                   env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    load_worker_from_here(ROOT / "build" / "site")


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.loaded = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors.update(value for name in ("id", "name") if (value := values.get(name)))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        is_shown = tag in ("script", "img", "iframe", "source") and values.get("src")
        if is_shown or (tag == "link" and values.get("rel") in ("stylesheet", "icon", "preload")):
            self.loaded.append(values.get("src") or values.get("href") or "")


def check(folder):
    pages = {path: Page(path.read_text(encoding="utf-8", errors="replace"))
             for path in folder.rglob("*.html") if path.relative_to(folder).parts[:2] != ("api", "cpp")}
    problems = []
    for path, page in pages.items():
        name = path.relative_to(folder)
        problems += [f"{name}: loads {target}" for target in page.loaded if urllib.parse.urlparse(target).scheme in ("http", "https")]
        for link in [*page.links, *page.loaded]:
            parts = urllib.parse.urlparse(link)
            if parts.scheme or parts.netloc or path.name == "404.html":
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                problems.append(f"{name}: {link} leads nowhere")
            elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
                problems.append(f"{name}: {link} has no such anchor")
    print("\n".join(sorted(set(problems))) or f"{len(pages)} pages: every link and anchor exists, nothing is loaded from outside")
    return 1 if problems or len(pages) < 20 else 0


def main():
    if sys.argv[1:] == ["prepare"]:
        return prepare()
    if sys.argv[1:] == ["build"]:
        return build()
    if sys.argv[1:2] == ["check"] and len(sys.argv) == 3:
        return check(pathlib.Path(sys.argv[2]).resolve())
    return __doc__


if __name__ == "__main__":
    sys.exit(main())
