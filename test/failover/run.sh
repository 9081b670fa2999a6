#!/bin/sh
# Makes a Debian with Patroni, etcd and Postgres 18 once, in the cache, and runs the rounds in a network and with mounts of
# their own, which end with them. Needs root and mmdebstrap. The rounds take 25 minutes; `-t` picks some by their titles.
set -eu
cd "$(dirname "$0")/../.."
cache="${XDG_CACHE_HOME:-$HOME/.cache}/payment-api"
root="$cache/patroni-forky"
if [ "$(id -u)" != 0 ] || ! command -v mmdebstrap > /dev/null; then
  echo 'npm run test:failover needs root, for networks and mounts that end with it, and mmdebstrap' >&2
  exit 1
fi
if [ ! -d "$root" ]; then
  mkdir -p "$cache"
  # The one that this machine's own packages come from.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -n 1)
  # Postgres 18 is in forky, and Patroni's module for etcd is not any more. A mirror may be older than its date allows.
  mmdebstrap --variant=minbase --include=patroni,python3-etcd,etcd-server,postgresql-18 \
    --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Check-Valid-Until "false"' \
    forky "$root.part" "deb $mirror forky main" "deb $mirror trixie main"
  mv "$root.part" "$root"
fi
export FAULT_MOUNTS=own FAILOVER_ROOT="$root"
exec unshare --mount --net sh -ec '
  mkdir -p /run/netns
  mount -t tmpfs tmpfs /run/netns
  mount -t tmpfs tmpfs "$FAILOVER_ROOT/mnt"
  for folder in proc dev; do mount --rbind "/$folder" "$FAILOVER_ROOT/$folder"; done
  ip link set lo up
  exec node node_modules/jest/bin/jest.js --config test/failover/jest.config.js "$@"' sh "$@"
