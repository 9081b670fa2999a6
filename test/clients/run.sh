#!/usr/bin/env bash
# test/clients/run.sh
#
# What generators make of the OpenAPI document: clients in TypeScript (openapi-typescript, openapi-fetch) and
# Python (openapi-python-client) are generated, type-checked at their strictest and run against a system
# that this script starts; Spectral's rules for OpenAPI find nothing. Ends with 1 when something differs, or
# when the tools cannot be had here. They are installed in the cache, outside of the checkout.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."

# More are a sign that types have lost their names: there were 175 once.
readonly MAX_PYTHON_MODELS=150

# shellcheck source=../support/system.sh
source test/support/system.sh
python_tools clients "$here"

pins=$(cat "$here/package.json" "$here/package-lock.json" | sha256sum | cut -c 1-12)
node_tools="${XDG_CACHE_HOME:-$HOME/.cache}/payment-api/clients-node-$pins"
if [ ! -e "$node_tools/.installed" ]; then
  echo 'Installing the generators …' >&2
  mkdir -p "$node_tools"
  cp "$here/package.json" "$here/package-lock.json" "$node_tools"
  (cd "$node_tools" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
  touch "$node_tools/.installed"
fi

start_system
curl --silent --fail "${base_url%/api/public/v1}/openapi.json" >"$work/openapi.json"
BASE_URL=$base_url
KEY=$(demo 'users[0].test_key')
export BASE_URL KEY

echo '--- Spectral'
"$node_tools/node_modules/.bin/spectral" lint --ruleset "$here/spectral.yaml" --fail-severity hint \
  "$work/openapi.json"

echo '--- TypeScript'
mkdir "$work/typescript"
cp "$here/typescript/calls.ts" "$work/typescript/"
ln -s "$node_tools/node_modules" "$work/typescript/node_modules"
# Node's own types are the checkout's.
types="$PWD/node_modules/@types"
(
  cd "$work/typescript"
  node_modules/.bin/openapi-typescript "$work/openapi.json" --output schema.ts
  node_modules/.bin/tsc --strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --target es2022 \
    --module node16 --moduleResolution node16 --typeRoots "$types" --types node --skipLibCheck \
    calls.ts
  node calls.js
)

echo '--- Python'
(
  cd "$work"
  PATH="$tools/bin:$PATH" openapi-python-client generate --path openapi.json --meta none \
    --output-path "$work/python/payments" --fail-on-warning
  models=$(find python/payments/models -name '*.py' | wc -l)
  echo "$models models"
  if [ "$models" -gt "$MAX_PYTHON_MODELS" ]; then
    echo "More than $MAX_PYTHON_MODELS models: name the schemas (docs/decisions/0023-shape-of-responses.md)." >&2
    exit 1
  fi
  cp "$here/python/calls.py" python/
  cd python
  PYTHONDONTWRITEBYTECODE=1 "$tools/bin/mypy" --strict --follow-imports silent \
    --cache-dir "$work/mypy" calls.py
  PYTHONDONTWRITEBYTECODE=1 "$tools/bin/python" calls.py
)
echo 'Both clients work.'
