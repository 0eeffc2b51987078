#!/usr/bin/env bash
# clang-format and clang-tidy over the project; any finding fails. Needs a configured build-lint/ (`make lint` does that).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=${JOBS:-2}

if ! command -v clang-format >/dev/null; then
  echo "lint: clang-format is not installed; \`make deps\` installs it." >&2
  exit 1
fi
CLANG_TIDY=$(scripts/lint_env.sh)
export CLANG_TIDY

echo "clang-format"
scripts/sources.sh | xargs -0 clang-format --dry-run -Werror

exec python3 scripts/tidy.py build-lint "$jobs"
