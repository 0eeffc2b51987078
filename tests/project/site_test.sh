#!/usr/bin/env bash
# Builds the site and checks every link and anchor. Skipped where `make site` has not installed its tools. Usage: site_test.sh PYTHON
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [[ ! -x $root/build/site-venv/bin/mkdocs ]]; then
  echo "skipped: build/site-venv is not there (make site makes it)"
  exit 77
fi
"$1" "$root/scripts/site.py" build
"$1" "$root/scripts/site.py" check "$root/build/site"
