#!/bin/sh
# Installs what a cluster needs, and runs the rounds in a network and with mounts of their own, which end with them.
# Needs root on Debian 12. Takes 25 minutes. `-t` picks rounds by their titles.
set -eu
cd "$(dirname "$0")/../.."
if [ "$(id -u)" != 0 ]; then
  echo 'npm run test:failover needs root: it makes network namespaces and mounts, which end with it' >&2
  exit 1
fi
if ! command -v patroni > /dev/null || [ ! -x /usr/lib/postgresql/15/bin/pg_rewind ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    patroni etcd-server postgresql-15 iproute2 < /dev/null
fi
export FAULT_MOUNTS=own
exec unshare --mount --net sh -c '
  mount -t tmpfs tmpfs /run/netns 2> /dev/null || { mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns; }
  ip link set lo up
  exec node node_modules/jest/bin/jest.js --config test/failover/jest.config.js "$@"' sh "$@"
