#!/usr/bin/env bash
# docs/images/terminal.svg: the commands of the README's first screen with their real output.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 scripts/make_reviews.py 1000 "$folder/reviews.csv"
ln -s "$PWD/build/sotto" "$folder/sotto"
svg=$PWD/docs/images/terminal.svg
drawer=$PWD/scripts/terminal_svg.py
cd "$folder"
say='The doctor was kind, but the waiting room was cold.'
export PATH=$folder:$PATH
python3 "$drawer" "$svg" \
  "echo '$say' | sotto privatize -q --epsilon 2" \
  "echo '$say' | sotto privatize -q --epsilon 3" \
  "sotto privatize reviews.csv --column text --epsilon 2.5 -o private.csv --report report.json" \
  "head -3 private.csv" \
  "grep -E '\"(strength|strength_reason|status)\"' report.json"
