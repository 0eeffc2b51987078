#!/usr/bin/env python3
"""The Debian packages: sotto and libsotto-dev. Usage: deb.py BUILD OUT

BUILD is a finished build (targets sotto_cli, sotto, manual). Writes OUT/*.deb and prints their names. dpkg-deb is driven
from here rather than by CPack, which compresses no man pages, writes no changelog and cannot split the dependencies of
the two packages. The same commit gives the same bytes: every time stamp is that of the commit.
"""
import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / "packaging" / "debian"
MAINTAINER = "The Sotto authors <sotto@users.noreply.github.com>"
# Packages of scripts/packages.txt that a program needs to be compiled and linked against the static library.
NOT_FOR_USERS = {"libpq-dev", "libcli11-dev", "libboost1.81-dev", "libgtest-dev", "libgmock-dev", "librapidcheck-dev",
                 "libbenchmark-dev"}


def run(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, encoding="utf-8", **more).stdout


def write(path, data, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    path.chmod(mode)


def zipped(data):
    return gzip.compress(data if isinstance(data, bytes) else data.encode(), 9, mtime=0)


def version():
    found = re.search(r"project\(sotto VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    return found.group(1) + "-0sotto1"  # a revision that no package of Debian itself will have


def commit_time():
    try:
        return int(run("git", "-C", ROOT, "log", "-1", "--format=%ct"))
    except (OSError, subprocess.CalledProcessError):  # not a clone
        return int((ROOT / "CHANGELOG.md").stat().st_mtime)


def development_packages():
    rows = re.findall(r"^required +(\S+)", (ROOT / "scripts" / "packages.txt").read_text(encoding="utf-8"), re.M)
    return sorted(name for name in rows if name.endswith("-dev") and name not in NOT_FOR_USERS)


def shared_libraries(program, work):
    """The packages of the libraries that the program is linked with, and their versions."""
    (work / "debian").mkdir(parents=True)
    write(work / "debian" / "control", "Source: sotto\n\nPackage: sotto\nArchitecture: any\n")
    found = run("dpkg-shlibdeps", "-O", f"-e{program}", cwd=work)
    # `libblis4` would bring the kind that starts threads of its own.
    return re.search(r"shlibs:Depends=(.*)", found).group(1).replace("libblis4 ", "libblis4-serial ")


def copyright_text():
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    holder = re.search(r"Copyright \(c\) (.*)", licence).group(1)
    body = licence.split("\n\n", 2)[2].strip()
    lines = "\n".join(" " + (line or ".") for line in body.splitlines())
    return (f"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: sotto\n\n"
            f"Files: *\nCopyright: {holder}\nLicense: Expat\n\nLicense: Expat\n{lines}\n")


def add_documents(package, tree, number, when):
    documents = tree / "usr" / "share" / "doc" / package
    date = run("date", "-R", "-u", "-d", f"@{when}").strip()
    write(documents / "copyright", copyright_text())
    write(documents / "changelog.gz", zipped((ROOT / "CHANGELOG.md").read_bytes()))
    write(documents / "changelog.Debian.gz", zipped(
        f"sotto ({number}) bookworm; urgency=medium\n\n  * Made from the sources by `make package`; see changelog.gz.\n\n"
        f" -- {MAINTAINER}  {date}\n"))


def install(build, tree):
    """Into /usr of the tree, the library where Debian has it: usr/lib/x86_64-linux-gnu. CMake knows it since the configuration."""
    usual = re.search(r"^CMAKE_INSTALL_LIBDIR:PATH=(.*)$", (build / "CMakeCache.txt").read_text(encoding="utf-8"), re.M).group(1)
    try:
        run("cmake", f"-DCMAKE_INSTALL_LIBDIR=lib/{run('dpkg-architecture', '-qDEB_HOST_MULTIARCH').strip()}", build)
        run("cmake", "--install", build, "--prefix", "/usr", env=os.environ | {"DESTDIR": str(tree)})
    finally:
        run("cmake", f"-DCMAKE_INSTALL_LIBDIR={usual}", build)


def split(installed, work):
    """Two trees from the installed one."""
    program, library = work / "sotto", work / "libsotto-dev"
    for path in sorted(path for path in installed.rglob("*") if path.is_file()):
        name = path.relative_to(installed)
        tree = library if name.parts[1] in ("lib", "include") else program
        data = path.read_bytes()
        if name.parts[:3] == ("usr", "share", "man"):
            name, data = name.with_name(name.name + ".gz"), zipped(data)
        if name.parts[:4] == ("usr", "share", "zsh", "site-functions"):  # that folder is the administrator's
            name = pathlib.Path("usr/share/zsh/vendor-completions") / name.name
        write(tree / name, data)
    binary = program / "usr" / "bin" / "sotto"
    binary.chmod(0o755)
    run("strip", "--strip-unneeded", "--remove-section=.comment", "--remove-section=.note", binary)
    for archive in library.rglob("*.a"):
        run("strip", "--strip-debug", "--enable-deterministic-archives", "--remove-section=.comment", archive)
    write(program / "lib" / "systemd" / "system" / "sotto.service", (HERE / "sotto.service").read_bytes())
    write(program / "etc" / "sotto" / "sotto.toml", (HERE / "sotto.toml").read_bytes())
    return program, library


def control(tree, paragraph, values):
    size = sum(-(-path.stat().st_size // 1024) for path in tree.rglob("*") if path.is_file())
    fields = re.sub(r"\$\{(\w+)\}", lambda found: values[found.group(1)], paragraph).strip()
    head, description = fields.split("\nDescription:", 1)
    source = "" if head.startswith("Package: sotto\n") else "Source: sotto\n"
    write(tree / "DEBIAN" / "control",
          f"{head}\n{source}Version: {values['version']}\nArchitecture: {values['architecture']}\nPriority: optional\n"
          f"Maintainer: {MAINTAINER}\nInstalled-Size: {size}\nDescription:{description}\n")
    sums = "".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree)}\n" for path in sorted(tree.rglob("*"))
                   if path.is_file() and path.relative_to(tree).parts[0] not in ("DEBIAN", "etc"))
    write(tree / "DEBIAN" / "md5sums", sums)
    if (tree / "etc").is_dir():
        write(tree / "DEBIAN" / "conffiles", "".join(f"/{path.relative_to(tree)}\n" for path in sorted((tree / "etc").rglob("*")) if path.is_file()))


def main():
    build, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    work = out / "work"
    shutil.rmtree(work, ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.deb"):
        old.unlink()
    number, when = version(), commit_time()
    install(build, work / "installed")
    trees = split(work / "installed", work)
    values = {"version": number, "architecture": run("dpkg", "--print-architecture").strip(), "dev": ", ".join(development_packages()),
              "shlibs": shared_libraries(trees[0] / "usr" / "bin" / "sotto", work / "shlibs")}
    for script in ("postinst", "prerm", "postrm"):
        write(trees[0] / "DEBIAN" / script, (HERE / script).read_bytes(), 0o755)
    for tree, paragraph in zip(trees, (HERE / "control").read_text(encoding="utf-8").split("\n\n")):
        add_documents(tree.name, tree, number, when)
        control(tree, paragraph, values)
        for path in (tree, *tree.rglob("*")):
            if path.is_dir():
                path.chmod(0o755)
        name = out / f"{tree.name}_{number}_{values['architecture']}.deb"
        run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", tree, name, env=os.environ | {"SOURCE_DATE_EPOCH": str(when)})
        print(name)
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
