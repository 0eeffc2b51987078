#!/usr/bin/env bash
# Fuzzes from the committed seeds. Usage: fuzz.sh FOLDER SECONDS|COUNTx [TARGET...]
# SECONDS searches for new inputs and keeps what it finds for the next run. COUNTx (for example 5000x) executes that many
# inputs, the same at every run: the tests use it, so that a change does not fail by luck for a fault that was there before.
# Several targets run at a time: FUZZ_JOBS, by default twice the number of cores. Each prints one line with its number of
# executions. Found inputs and crashes go to FOLDER/found/TARGET, what a target prints to FOLDER/found/TARGET.log.
# Code 77 (skipped) if a target was not built.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$1
length=$2
shift 2
if (($# == 0)); then
  mapfile -t names < <(find "$root/fuzz/corpus" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort)
  set -- "${names[@]}"
fi
for target in "$@"; do
  if [[ ! -x $folder/fuzz_$target ]]; then
    echo "fuzz: $target was not built (needs clang: make fuzz-build)"
    exit 77
  fi
done

fuzz_one() {
  local target=$1 log=$folder/found/$1.log
  local new=$folder/found/$target
  local -a limit=(-max_total_time="$length")
  mkdir -p "$new"
  if [[ $length == *x ]]; then
    limit=(-runs="${length%x}" -seed=1)
    new=$(mktemp -d "$folder/found/once.XXXXXX") # not the inputs of earlier runs: the seeds alone decide
    trap 'rm -rf "$new"' EXIT
  fi
  # A parser that trusts a length field shows itself by a large allocation: 256 MB is far above need.
  if ! "$folder/fuzz_$target" "${limit[@]}" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=256 \
    -max_len=4096 -verbosity=0 -print_final_stats=1 -artifact_prefix="$folder/found/$target/crash-" \
    "$new" "$root/fuzz/corpus/$target" >"$log" 2>&1; then
    cat "$log"
    echo "fuzz: $target found a fault; the input is in $folder/found/$target"
    return 1
  fi
  echo "fuzz: $target, $(awk '/^stat::number_of_executed_units:/ { print $2 }' "$log") executions"
}
export -f fuzz_one
export root folder length
# A target that finds a fault does not stop the others; the exit code tells.
printf '%s\0' "$@" | xargs -0 -P "${FUZZ_JOBS:-$((2 * $(nproc)))}" -I{} bash -c 'fuzz_one "$1"' fuzz {}
