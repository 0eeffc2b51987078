#!/usr/bin/env bash
# Installs the Debian packages of packages.txt that are missing, and npm if there is none; `deps.sh lab`,
# `ledger`, `web` or `bench` those of the lab, of the tests of the ledger or of the playground, or of benchmarks besides. Asking dpkg takes
# milliseconds, so every target of the Makefile may start here.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

packages() { awk -v need="$1" '$1 == need { print $2 }' "$here/packages.txt"; }

if ! command -v dpkg-query >/dev/null; then
  echo "deps: this is not a Debian system; scripts/packages.txt lists what to install by hand." >&2
  exit 0
fi

missing_of() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
updated=no
# apt-get's hundreds of lines are shown only if it fails.
install() {
  local -a as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "deps: missing: $*" >&2
      echo "deps: neither root nor sudo here. Ask an administrator to run: apt-get install $*" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  if [[ $updated == no ]]; then
    "${as_root[@]}" apt-get update -qq || echo "deps: could not refresh the package lists; trying with the old ones." >&2
    updated=yes
  fi
  # `env` carries the variable through sudo, which would drop it.
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    return 1
  fi
}

mapfile -t required < <(missing_of $(packages required) $(if [[ -n ${1:-} ]]; then packages "$1"; fi))
mapfile -t optional < <(missing_of $(packages optional))

if ((${#required[@]})); then
  echo "deps: installing ${required[*]} ${optional[*]} (once; some minutes)" >&2
  if ! install "${required[@]}" "${optional[@]}" && { ((${#optional[@]} == 0)) || ! install "${required[@]}"; }; then
    echo "deps: could not install what the build needs (${required[*]})." >&2
    exit 1
  fi
elif ((${#optional[@]})); then
  echo "deps: installing ${optional[*]}" >&2
  install "${optional[@]}" || echo "deps: going on without ${optional[*]}." >&2
fi

# Debian's npm conflicts with other builds of Node.js, so any npm on the PATH is left alone.
# ca-certificates is only recommended by nodejs, and npm cannot reach its registry without it.
if ! command -v npm >/dev/null; then
  echo "deps: installing nodejs and npm, for the default model" >&2
  install nodejs npm ca-certificates || echo "deps: no npm: \`sotto model fetch\` will not work; the demo uses its small built-in model." >&2
fi
