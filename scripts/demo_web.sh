#!/usr/bin/env bash
# The service with the default model, or with the small built-in one where that could not be fetched. Prints the address of
# the playground; Ctrl-C ends it. The ledger is one of the demo's own, build/demo-web/ledger.db. PORT chooses another port.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=build/demo-web
mkdir -p "$folder"
model=()
if [[ ! -f ${XDG_CACHE_HOME:-$HOME/.cache}/sotto/glove-6b-100d-50k.sotto ]]; then
  echo "The default model is not here: the demo uses the small built-in one."
  python3 scripts/make_tiny_model.py "$folder/tiny.txt"
  build/sotto model import "$folder/tiny.txt" -o "$folder/tiny.sotto" --force 2>/dev/null
  model=(--model "$folder/tiny.sotto")
fi
port=${PORT:-7411}
echo "Open http://localhost:$port/ in a browser. Ctrl-C ends the service."
exec build/sotto serve --listen "127.0.0.1:$port" --ledger "$folder/ledger.db" --no-log "${model[@]}"
