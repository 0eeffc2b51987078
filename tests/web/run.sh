#!/usr/bin/env bash
# run.py where its tools are there; else says what is missing and exits with 77 (skipped).
# Usage: run.sh PROGRAM MODEL FOLDER [NAME...]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tools=$root/build/web
if ! "$root/scripts/web_env.sh" has; then
  echo "The tests of the playground are skipped: \`make deps-web\` gets Chromium, Playwright and axe-core."
  exit 77
fi
exec "$tools/venv/bin/python" "$root/tests/web/run.py" "$1" "$2" "$3" "$tools" "${@:4}"
