#!/usr/bin/env bash
# build/package: the Debian packages, checked by lintian, and the OCI image. `make package` calls it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=build/package
mapfile -t debs < <(python3 packaging/deb.py build "$out")
lintian --fail-on error,warning --allow-root "${debs[@]}"
du -h "${debs[@]}"
packaging/image.sh "${debs[0]}" "$out"
