#!/usr/bin/env bash
# The slow Python tests: the Spark run of docs/spark.md on a cluster of separate executor processes. Its figures are the
# lines that begin with `figures`. Usage: test_spark.sh [pytest's options]
# SOTTO_SPARK_ROWS (1,000,000) makes it shorter. `scripts/python_env.sh install slow` makes the environment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec "${PYTHON:-build/venv/bin/python}" -m pytest -q -s -W ignore::FutureWarning -m slow "$@" python/tests
