#!/usr/bin/env bash
# test/clients/run.sh
#
# The clients as merchants have them: what is generated is what the OpenAPI document says, every client does what
# the conformance cases say, and the packages, installed into empty projects and compiled at their strictest, work
# with a system that this script starts, with every fault of the sandbox too. Spectral's rules for OpenAPI find
# nothing. Ends with 1 when something differs, or when the tools cannot be had here. They are installed in the
# cache, outside of the checkout.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."

# shellcheck source=../support/system.sh
source test/support/system.sh
python_tools clients "$here"
test/support/php.sh

pins=$(cat "$here/package.json" "$here/package-lock.json" | sha256sum | cut -c 1-12)
node_tools="${XDG_CACHE_HOME:-$HOME/.cache}/payment-api/clients-node-$pins"
if [ ! -e "$node_tools/.installed" ]; then
  echo 'Installing the tools …' >&2
  mkdir -p "$node_tools"
  cp "$here/package.json" "$here/package-lock.json" "$node_tools"
  (cd "$node_tools" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
  touch "$node_tools/.installed"
fi

node dev/tools/setup.mjs test

echo '--- Conformance'
node dev/tools/clients/generate.mjs --check
node clients/typescript/build.mjs
node clients/conformance/run.mjs

start_system
curl --silent --fail "${base_url%/api/public/v1}/openapi.json" >"$work/openapi.json"
PAYMENTS_URL=$base_url
# All of it is done within a minute.
PAYMENTS_KEY=$(cli keys create --user merchant --environment test --name clients \
  --requests-per-minute 100000 --writes-per-minute 100000 | field key)
export PAYMENTS_URL PAYMENTS_KEY

echo '--- Spectral'
"$node_tools/node_modules/.bin/spectral" lint --ruleset "$here/spectral.yaml" --fail-severity hint \
  "$work/openapi.json"

# The service hands out these packages.
packages=${base_url%/api/public/v1}/clients
package() { node -p "'$packages/' + require('./pages/generated/client-packages.json').$1"; }

echo '--- Publishing'
# No registry is asked: the name may be that of a stranger there. npm mends what it does not like, and says so.
if (cd clients/typescript && npm publish --dry-run --ignore-scripts --registry http://127.0.0.1:1/ --fetch-retries 0 2>&1) | tee "$work/npm.log" | grep 'auto-corrected'; then
  exit 1
fi
grep --quiet '^+ payments-client@' "$work/npm.log"
wheel=$work/$(basename "$(package Python)")
curl --silent --fail --output "$wheel" "$(package Python)"
"$tools/bin/twine" check --strict "$wheel"

echo '--- TypeScript'
mkdir "$work/typescript"
package=$(package TypeScript)
cp "$here"/typescript/* clients/typescript/examples/* "$work/typescript"
# Express, for the receiver: found above the folder of the shop.
ln -s "$node_tools/node_modules" "$work/node_modules"
(
  cd "$work/typescript"
  npm init --yes >/dev/null
  npm install --no-audit --no-fund --loglevel=error "$package"
  # Compiled for `import` and for `require`, and run as both.
  for module in mts cts; do
    cp calls.ts "calls.$module"
    "$node_tools/node_modules/.bin/tsc" --strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes \
      --target es2022 --module node16 --moduleResolution node16 --lib es2022,dom "calls.$module"
  done
  node --input-type=module --eval "await (await import('./calls.mjs')).main();"
  node --eval "require('./calls.cjs').main();"
  node examples.mjs
)

echo '--- PHP'
# PHPStan is to be had from Packagist alone: every file is looked at by PHP itself.
find clients/php "$here/php" -name '*.php' -print0 | xargs -0 -n 1 php -l >/dev/null
NODE_PATH="$node_tools/node_modules" node "$here/php-syntax.mjs" clients/php
mkdir "$work/php"
curl --silent --fail "$(package PHP)" >"$work/php.zip"
python3 -m zipfile -e "$work/php.zip" "$work/php"
cp "$here"/php/* "$work/php"
(
  cd "$work/php"
  export TMPDIR=$work/php
  php calls.php
  php -d disable_functions=curl_init calls.php
  php examples.php
)
if command -v composer >/dev/null; then
  COMPOSER_ALLOW_SUPERUSER=1 composer validate --strict --no-interaction "$work/php/payments-client/composer.json"
  mkdir -p "$work/composer/home" "$work/composer/payments-client"
  cp "$here/php/calls.php" "$work/composer"
  (
    cd "$work/composer"
    export COMPOSER_HOME=$work/composer/home COMPOSER_ALLOW_SUPERUSER=1 COMPOSER_NO_INTERACTION=1
    # A service that is tried here has no certificate, and no other repository is asked.
    echo '{ "config": { "secure-http": false }, "repositories": [{ "packagist.org": false }] }' \
      >"$COMPOSER_HOME/config.json"
    echo '{}' >composer.json
    composer config repositories.payments composer "$packages" && composer require --quiet payments/payments-client
    # The same calls, with the classes that Composer finds.
    echo "<?php require __DIR__ . '/../vendor/autoload.php';" >payments-client/autoload.php
    php calls.php
  )
else
  echo 'There is no composer here: the PHP package is not installed with it.'
fi

if grep --quiet 'Sandbox-Fault' "$work/openapi.json"; then
  echo '--- Faults'
  node "$here/faults.mjs"
else
  echo 'The service knows no Sandbox-Fault: the clients are not tried with faults.'
fi

echo '--- Python'
export PYTHONDONTWRITEBYTECODE=1
python3 -m venv "$work/python"
"$work/python/bin/pip" install --quiet --disable-pip-version-check --no-index "$(package Python)"
# FastAPI, for the receiver.
"$tools/bin/python" -c 'import site; print(site.getsitepackages()[0])' \
  >"$("$work/python/bin/python" -c 'import site; print(site.getsitepackages()[0])')/tools.pth"
mkdir "$work/shop"
cp "$here"/python/* clients/python/examples/* "$work/shop"
(
  cd "$work/shop"
  # The installed package is checked: the folder of the sources is not looked at.
  for version in 3.10 "$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')"; do
    check=("$tools/bin/mypy" --strict --cache-dir "$work/mypy" --python-executable "$work/python/bin/python"
      --python-version "$version")
    "${check[@]}" --package payments_client
    "${check[@]}" ./*.py
  done
  "$work/python/bin/python" calls.py
  "$work/python/bin/python" examples.py
)
echo 'The clients work.'
