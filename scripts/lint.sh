#!/usr/bin/env bash
# clang-format and clang-tidy over the project; any finding fails. Needs a configured build/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=${JOBS:-2}

for tool in clang-format clang-tidy; do
  if ! command -v "$tool" >/dev/null; then
    echo "lint: $tool is not installed; \`make deps\` installs it." >&2
    exit 1
  fi
done

echo "clang-format"
scripts/sources.sh | xargs -0 clang-format --dry-run -Werror

# Only files that the build compiles have flags that clang-tidy can use; clang 14 does not compile libtorch's
# headers with this C++ library.
echo "clang-tidy"
python3 - <<'PY' | xargs -0 -P "$jobs" -n 1 clang-tidy -p build --quiet 2> >(grep -v 'warnings\? generated\|^Suppressed\|^Use -' >&2)
import json, os, sys
root = os.getcwd() + os.sep
files = {entry["file"] for entry in json.load(open("build/compile_commands.json"))}
ours = sorted(file for file in files if file.startswith(root) and not file.startswith(root + "build")
              and "<torch/nn" not in open(file).read() and "<torch/optim" not in open(file).read())
sys.stdout.write("".join(file + "\0" for file in ours))
PY
