#!/usr/bin/env bash
# Every C++ file is as clang-format leaves it. Skipped (77) without clang-format.
set -euo pipefail
command -v clang-format >/dev/null || exit 77
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
scripts/sources.sh | xargs -0 clang-format --dry-run -Werror
