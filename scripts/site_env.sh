#!/usr/bin/env bash
# The virtual environment that builds the site, build/site-venv. Does nothing if it is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv=$PWD/build/site-venv
[[ -x $venv/bin/mkdocs && -d $venv/iframe-worker ]] && exit 0
"${PYTHON:-python3}" -m venv "$venv"
PIP_DISABLE_PIP_VERSION_CHECK=1 "$venv/bin/pip" install -q 'mkdocs>=1.6,<2' 'mkdocs-material>=9.5,<10' 'mkdocstrings[python]>=0.26'
# For the search of a site that is opened from a folder; without it the site works, but its search does not there.
(cd "$venv" && npm pack --silent iframe-worker@1.0.4 >/dev/null && tar -xzf iframe-worker-1.0.4.tgz && rm iframe-worker-1.0.4.tgz &&
  rm -rf iframe-worker && mv package iframe-worker) || mkdir -p "$venv/iframe-worker"
