#!/usr/bin/env bash
# test/containers/tools.sh
#
# Sees to it that there is a container engine, and what makes base images. A machine of CI is set up here; any other is
# left as it is. Ends with 1 when something is missing.
set -euo pipefail
has_all() { for tool in docker dockerd runc mmdebstrap go; do command -v "$tool" >/dev/null || return 1; done; }
if [ "${CI:-}" = true ] && [ "$(id -u)" = 0 ] && ! has_all; then
  echo 'Installing docker.io, runc and mmdebstrap …' >&2
  apt-get update -qq &&
    apt-get install -y -qq --no-install-recommends docker.io runc mmdebstrap >/dev/null ||
    echo 'They could not be installed.' >&2
fi
# A machine may have an engine that answers, and no program of its own that starts one.
for tool in docker mmdebstrap go; do
  command -v "$tool" >/dev/null ||
    { echo "Containers cannot be tried here: install $tool (Debian: docker.io, runc, mmdebstrap; and Go)." >&2; exit 1; }
done
