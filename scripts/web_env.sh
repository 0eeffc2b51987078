#!/usr/bin/env bash
# What the tests of the playground need besides Debian's packages. Usage: web_env.sh has | install
#   has      exit 0 if everything is here: Chromium, Playwright, axe-core
#   install  build/web: Playwright in a virtual environment (it drives Debian's Chromium), and axe-core
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$PWD/build/web
export PIP_DISABLE_PIP_VERSION_CHECK=1 npm_config_fetch_retries=1 npm_config_fetch_retry_mintimeout=2000
axe_version=4.10.3
playwright_version='>=1.49,<2'

has_tools() { [[ -f $folder/axe.min.js && -x $folder/venv/bin/python ]] && "$folder/venv/bin/python" -c 'import playwright' 2>/dev/null; }

case ${1:-} in
  has)
    command -v chromium >/dev/null && has_tools
    ;;
  install)
    has_tools && exit 0
    mkdir -p "$folder"
    [[ -x $folder/venv/bin/pip ]] || "${PYTHON:-python3}" -m venv "$folder/venv"
    if ! "$folder/venv/bin/pip" install -q --timeout 10 --retries 1 "playwright$playwright_version" >&2; then
      echo "web: Playwright cannot be had: the tests of the playground will be skipped." >&2
      exit 0
    fi
    # The archive alone: none of its scripts is run.
    if ! (cd "$folder" && npm pack --silent "axe-core@$axe_version" >/dev/null &&
      tar -xzf "axe-core-$axe_version.tgz" --strip-components=1 package/axe.min.js && rm "axe-core-$axe_version.tgz"); then
      echo "web: axe-core cannot be had: the tests of the playground will be skipped." >&2
    fi
    ;;
  *)
    sed -n '2,4s/^# //p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
