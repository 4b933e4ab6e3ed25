#!/usr/bin/env bash
# Installs the package apart from the repository, starts the stack in the background, and writes its variables into
# $RUNNER_TEMP/homebase.env when every service answers. Ends with 1, and with what the stack said, when it does not start.
set -euo pipefail

tools="$RUNNER_TEMP/homebase-stack"
log="$RUNNER_TEMP/homebase.log"
mkdir -p "$tools"
npm install --prefix "$tools" --no-audit --no-fund --prefer-offline "${HOMEBASE_PACKAGE:-homebase-stack@$VERSION}"
homebase="$tools/node_modules/.bin/homebase"
# An empty input is no offset.
[ -n "${HOMEBASE_PORT_OFFSET:-}" ] || unset HOMEBASE_PORT_OFFSET

nohup "$homebase" start --json > "$log" 2>&1 < /dev/null &
pid=$!
until grep -q '"kind":"ready"' "$log"; do
  if ! kill -0 "$pid" 2> /dev/null; then
    cat "$log" >&2
    exit 1
  fi
  sleep 0.05
done
# A migration that failed leaves a stack that serves the rest: a check must not go on with that.
if grep -q '"notApplied"' "$log"; then
  cat "$log" >&2
  "$homebase" stop
  exit 1
fi
# NAME="value" for a shell becomes NAME=value for the runner.
"$homebase" status -o env | sed 's/^\([A-Z0-9_]*\)="\(.*\)"$/\1=\2/' > "$RUNNER_TEMP/homebase.env"
