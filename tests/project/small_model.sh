#!/usr/bin/env bash
# Makes NAME.txt and NAME.sotto, the small model. Usage: small_model.sh PYTHON SOTTO NAME
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
"$1" "$root/scripts/make_tiny_model.py" "$3.txt"
"$2" model import "$3.txt" -o "$3.sotto" --force
