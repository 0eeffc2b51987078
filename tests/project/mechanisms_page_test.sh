#!/usr/bin/env bash
# docs/mechanisms.md is what the registry says. Usage: mechanisms_page_test.sh SOTTO PAGE
set -euo pipefail
if ! diff -u "$2" <("$1" mechanisms --markdown); then
  echo "docs/mechanisms.md is old: build/sotto mechanisms --markdown > docs/mechanisms.md"
  exit 1
fi
