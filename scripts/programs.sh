#!/usr/bin/env bash
# Prints how many programs a build folder holds. Usage: programs.sh BUILD
set -euo pipefail
count=$(ninja -C "$1" -t targets all | grep -o 'CXX_EXECUTABLE_LINKER__.*' | sort -u | wc -l)
echo "linked $count programs"
