#!/usr/bin/env bash
# Every C++ file of the project, NUL-separated. With arguments: only in those folders.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
(($#)) || set -- include src apps lab python tests fuzz bench examples
find "$@" \( -name '*.cpp' -o -name '*.h' \) -type f -print0 | sort -z
