#!/usr/bin/env bash
# clang-format and clang-tidy over the project; any finding fails. Needs a configured build-lint/ (`make lint` does that).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=${JOBS:-2}

for tool in clang-format clang-tidy; do
  if ! command -v "$tool" >/dev/null; then
    echo "lint: $tool is not installed; \`make deps\` installs it." >&2
    exit 1
  fi
done

echo "clang-format"
scripts/sources.sh | xargs -0 clang-format --dry-run -Werror

exec python3 scripts/tidy.py build-lint "$jobs"
