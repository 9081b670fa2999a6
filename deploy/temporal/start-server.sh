#!/bin/sh
# A container of two networks has two addresses. The image's entry point would tell the other processes both as one, and
# the server would not start; each of them is in the same two networks, so either address does.
set -eu
TEMPORAL_BROADCAST_ADDRESS=$(getent hosts "$(hostname)" | awk 'NR == 1 { print $1 }')
export TEMPORAL_BROADCAST_ADDRESS
exec /etc/temporal/entrypoint.sh
