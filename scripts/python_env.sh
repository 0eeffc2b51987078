#!/usr/bin/env bash
# The virtual environment of the Python package, build/venv. Usage: python_env.sh reachable | install | wheel | stub
#   reachable  exit 0 if packages can be had from the package index (asked with a short timeout)
#   install    (or install slow) the environment with the package and all that its tests use; what cannot be had of the optional
#              packages is named in build/venv/not_installable
#   wheel      build/wheelhouse: a wheel that carries every library it needs but glibc and libstdc++
#   stub       python/sotto/_engine.pyi again, from the installed extension
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv=$PWD/build/venv
# The objects of build/ serve here too: same flags, same depth, and paths that ccache takes as relative.
export CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=$PWD PIP_DISABLE_PIP_VERSION_CHECK=1
# CMake's own choice, as in build/: scikit-build-core would take g++, for ccache another compiler.
export CXX=${CXX:-c++}
[[ -n ${JOBS:-} ]] && export CMAKE_BUILD_PARALLEL_LEVEL=$JOBS

make_venv() {
  [[ -x $venv/bin/pip ]] && return
  if ! "${PYTHON:-python3}" -m venv "$venv" >/dev/null; then
    rm -rf "$venv"
    echo "python: cannot make a virtual environment; \`make deps\` installs python3-venv and python3-dev." >&2
    exit 1
  fi
}

case ${1:-} in
  reachable)
    make_venv
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    "$venv/bin/pip" download -q --no-deps --no-cache-dir --timeout 5 --retries 1 -d "$folder" iniconfig >/dev/null 2>&1
    ;;
  install)
    make_venv
    pip=("$venv/bin/pip" install -q)
    # From pyproject.toml, so that no version is written twice.
    needs() { "$venv/bin/python" -c 'import sys
try: import tomllib
except ImportError: from pip._vendor import tomli as tomllib
project = tomllib.load(open("pyproject.toml", "rb"))
print("\n".join(project["build-system"]["requires"] if sys.argv[1] == "build" else project["project"]["optional-dependencies"][sys.argv[1]]))' "$1"; }
    mapfile -t wanted < <(needs build; needs test; [[ ${2:-} == slow ]] && needs slow)
    "${pip[@]}" numpy "${wanted[@]}"
    : >"$venv/not_installable"
    while read -r package; do
      "${pip[@]}" "$package" >/dev/null 2>&1 || echo "$package" | tee -a "$venv/not_installable" | sed 's/^/python: cannot be installed here: /' >&2
    done < <(needs integrations)
    "${pip[@]}" --no-build-isolation --no-deps --force-reinstall .
    ;;
  wheel)
    rm -rf build/wheel build/wheelhouse
    "$venv/bin/pip" wheel -q --no-build-isolation --no-deps -w build/wheel .
    PATH=$venv/bin:$PATH "$venv/bin/auditwheel" repair -w build/wheelhouse build/wheel/sotto-*.whl >&2
    ls build/wheelhouse/sotto-*.whl
    ;;
  stub)
    (cd "$venv" && bin/python ../../scripts/python_stub.py -q -P -m sotto._engine -p ../../python/stub_patterns.txt \
      -o "${2:-../../python/sotto/_engine.pyi}")
    ;;
  *)
    sed -n '2,8s/^# //p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
