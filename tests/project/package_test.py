#!/usr/bin/env python3
"""The Debian package in a clean root, its unit under systemd, and the image under a read-only root: each privatises a text
and serves.

Usage: package_test.py BUILD FOLDER. Needs root, and the tools of
`make deps-package`; without them it is skipped with a line.
"""
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import time

from package_unit import try_unit

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
SKIPPED = 77
USER = "65532"
BODY = {"text": "the good soup", "epsilon": 1, "allow_weak": True}


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, encoding="utf-8", check=False, **more)
    if done.returncode != 0:
        sys.exit(f"{words}: exit code {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ask(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def try_program(sotto, model, label):
    """`sotto` are the words that start the program inside; `model` is a path as the program sees it."""
    version = run(*sotto, "--version").strip()
    private = run(*sotto, "privatize", "-", "--model", model, "--epsilon", "1", "--allow-weak", "-q", input="the good soup\n")
    assert len(private.split()) == 3, private
    port = free_port()
    serve = [*sotto, "serve", "--config", "/etc/sotto/sotto.toml", "--listen", f"127.0.0.1:{port}", "--model", model]
    server = subprocess.Popen([str(word) for word in serve], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                              start_new_session=True)
    try:
        check = [*sotto, "serve", "--check", "--listen", f"127.0.0.1:{port}"]
        for _ in range(600):
            if subprocess.run([str(word) for word in check], capture_output=True, check=False).returncode == 0:
                break
            assert server.poll() is None, server.communicate()
            time.sleep(0.1)
        status, answer = ask(port, "POST", "/v1/privatize", BODY)
        assert status == 200 and json.loads(answer)["status"] == "proven", answer
        assert json.loads(answer)["spent"] is not None, answer  # the ledger could be written
        assert ask(port, "GET", "/")[0] == 200
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        out, said = server.communicate(timeout=60)
    assert server.returncode == 0, (server.returncode, said)
    print(f"{label}: {version}; privatised {private.split()}; served {len(out.splitlines())} requests and ended with 0")


def try_deb(deb, vectors):
    root = FOLDER / "debian"
    existing = [path for path in ("/etc/apt/sources.list", *pathlib.Path("/etc/apt/sources.list.d").glob("*.sources"))
                if pathlib.Path(path).exists() and pathlib.Path(path).stat().st_size]
    run("mmdebstrap", "--quiet", "--variant=apt", "--skip=cleanup/apt/lists", "bookworm", root, *existing)
    shutil.copy(deb, root / "sotto.deb")
    installed = run("chroot", root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq", "--no-install-recommends",
                    "/sotto.deb")
    print("\n".join(line for line in installed.splitlines() if "sotto" in line))
    shutil.copy(vectors, root / "tmp" / "tiny.txt")
    inside = ["chroot", f"--userspec={USER}:{USER}", root, "env", "-i", "PATH=/usr/bin:/bin", "HOME=/tmp", "LC_ALL=C.UTF-8"]
    run(*inside, "sotto", "model", "import", "/tmp/tiny.txt", "-o", "/tmp/tiny.sotto")
    shutil.copy(root / "tmp" / "tiny.sotto", FOLDER / "model" / "model.sotto")
    (FOLDER / "model" / "model.sotto").chmod(0o644)  # models are made for their owner; this one is for another user
    try_program([*inside, "sotto"], "/tmp/tiny.sotto", "Debian package")
    assert run("chroot", root, "dpkg", "--verify", "sotto") == ""
    files = run("chroot", root, "dpkg", "-L", "sotto").splitlines()
    for name in ("/usr/share/man/man1/sotto-privatize.1.gz", "/usr/share/bash-completion/completions/sotto",
                 "/usr/share/zsh/vendor-completions/_sotto", "/usr/share/fish/vendor_completions.d/sotto.fish",
                 "/lib/systemd/system/sotto.service", "/etc/sotto/sotto.toml"):
        assert name in files, name
    run("chroot", root, "dpkg", "--purge", "sotto")
    left = [name for name in files if (root / name[1:]).is_file()]
    assert not left, left
    try_unit(root, run, ask, free_port())


# A read-only root with what a container engine adds: /tmp, the two volumes, the model.
CONTAINER = f"""set -e
root=$1 model=$2; shift 2
mount --bind "$root" "$root"
for folder in tmp var/lib/sotto var/cache/sotto; do mount -t tmpfs -o uid={USER},gid={USER},mode=0700 tmpfs "$root/$folder"; done
mount --bind "$model" "$root/usr/share/sotto"
mount -o remount,ro,bind "$root"
if touch "$root/etc/test" 2>/dev/null; then echo "the root can be written" >&2; exit 99; fi
exec chroot --userspec={USER}:{USER} "$root" "$@"
"""


def try_image(image):
    layout = FOLDER / "layout"
    with tarfile.open(image) as archive:
        archive.extractall(layout)
    tag = json.loads((layout / "index.json").read_text())["manifests"][0]["annotations"]["org.opencontainers.image.ref.name"]
    assert tag.startswith("sotto:"), tag  # the name under which podman loads the image
    run("umoci", "--log=error", "unpack", "--image", f"{layout}:{tag}", FOLDER / "bundle")
    config = json.loads((FOLDER / "bundle" / "config.json").read_text())
    process = config["process"]
    assert process["args"] == ["/usr/bin/sotto", "serve", "--config", "/etc/sotto/sotto.toml"], process["args"]
    assert process["user"]["uid"] == int(USER), process["user"]
    inside = ["unshare", "--mount", "sh", "-c", CONTAINER, "sh", FOLDER / "bundle" / "rootfs", FOLDER / "model",
              "/usr/bin/sotto"]
    environment = dict(variable.split("=", 1) for variable in process["env"])
    inside = ["env", "-i", *(f"{name}={value}" for name, value in environment.items() if name != "PATH"),
              "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *inside]
    try_program(inside, "/usr/share/sotto/model.sotto", "image, read-only root, user " + USER)


def main():
    missing = [tool for tool in ("mmdebstrap", "umoci", "lintian", "dpkg-shlibdeps", "unshare") if shutil.which(tool) is None]
    if os.geteuid() != 0 or missing:
        print(f"skipped: needs root and {', '.join(missing) or 'nothing else'} (make deps-package)")
        sys.exit(SKIPPED)
    if subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, check=False).returncode:
        print("skipped: this machine does not allow mounts")
        sys.exit(SKIPPED)
    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "model").mkdir(parents=True)
    vectors = FOLDER / "tiny.txt"
    run(sys.executable, ROOT / "scripts" / "make_tiny_model.py", vectors)
    run("cmake", "--build", BUILD, "--target", "sotto_cli", "sotto", "manual")  # a usual build leaves the manual out
    debs = run(sys.executable, ROOT / "packaging" / "deb.py", BUILD, FOLDER).split()
    run("lintian", "--fail-on", "error,warning", "--allow-root", *debs)
    for deb in debs:
        print(f"{pathlib.Path(deb).name}: {pathlib.Path(deb).stat().st_size / 1e6:.1f} MB, lintian clean")
    try_deb(debs[0], vectors)
    print(run(ROOT / "packaging" / "image.sh", debs[0], FOLDER).strip())
    try_image(FOLDER / "sotto-image.tar")
    for name in ("debian", "bundle", "layout"):
        shutil.rmtree(FOLDER / name)


if __name__ == "__main__":
    main()
