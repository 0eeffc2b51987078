#!/usr/bin/env bash
# Prints the path of the clang-tidy that `make lint` runs, and installs it first where it can.
# clang-tidy 14 of Debian 12 walks through every system header and takes five times as long as this version; it remains the
# fallback where the package index cannot be reached.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=23.1.4
venv=$PWD/build-lint/venv
tool=$venv/bin/clang-tidy
if ! { [[ -x $tool ]] && "$tool" --version | grep -qF "$version"; } 2>/dev/null; then
  if ! { "${PYTHON:-python3}" -m venv "$venv" &&
    PIP_DISABLE_PIP_VERSION_CHECK=1 "$venv/bin/pip" install -q --timeout 10 --retries 1 "clang-tidy==$version"; } >&2; then
    echo "lint: clang-tidy $version cannot be had; using Debian's." >&2
    tool=$(command -v clang-tidy) || { echo "lint: there is no clang-tidy; \`make deps\` installs one." >&2; exit 1; }
  fi
fi
echo "$tool"
