#!/usr/bin/env bash
# test/support/php.sh
#
# Sees to it that there is PHP with curl, and in CI Composer too. A machine of CI is set up here; anybody else's is
# left as it is. Ends with 1 when something is missing.
set -euo pipefail
has_php() { php --ri curl >/dev/null 2>&1; }
has_composer() { command -v composer >/dev/null; }
if [ "${CI:-}" = true ] && [ "$(id -u)" = 0 ] && ! { has_php && has_composer; }; then
  echo 'Installing php-cli, php-curl and composer …' >&2
  apt-get update -qq &&
    apt-get install -y -qq --no-install-recommends php-cli php-curl composer >/dev/null ||
    echo 'They could not be installed.' >&2
fi
has_php || { echo 'The PHP client cannot be tried here: install php-cli and php-curl.' >&2; exit 1; }
[ "${CI:-}" != true ] || has_composer ||
  { echo 'The PHP client cannot be tried with Composer here: install composer.' >&2; exit 1; }
