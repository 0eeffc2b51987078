#!/usr/bin/env bash
# Fuzzes from the committed seeds. Usage: fuzz.sh FOLDER SECONDS [TARGET...]
# Found inputs and crashes go to FOLDER/found/TARGET. Code 77 (skipped) if a target was not built.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$1
seconds=$2
shift 2
if (($# == 0)); then
  mapfile -t names < <(find "$root/fuzz/corpus" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort)
  set -- "${names[@]}"
fi
for target in "$@"; do
  program=$folder/fuzz_$target
  if [[ ! -x $program ]]; then
    echo "fuzz: $target was not built (needs clang: make fuzz-build)"
    exit 77
  fi
  mkdir -p "$folder/found/$target"
  # A parser that trusts a length field shows itself by a large allocation: 256 MB is far above need.
  # -seed: the same inputs at every short run, as far as time allows.
  if ! "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=256 -seed=1 \
    -max_len=4096 -verbosity=0 -print_final_stats=1 -artifact_prefix="$folder/found/$target/crash-" \
    "$folder/found/$target" "$root/fuzz/corpus/$target"; then
    echo "fuzz: $target found a fault; the input is in $folder/found/$target"
    exit 1
  fi
done
