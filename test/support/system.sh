# Sourced by shell tests: a system of their own, in a temporary folder and on free ports, that is stopped
# with the script. `$work` is the folder; `$base_url` and `$system` (a pid) are set by start_system.

readonly START_LIMIT_SECONDS=120

work=$(mktemp -d)
system=''
stop() {
  if [ -n "$system" ]; then
    kill -TERM "$system" 2>/dev/null || true
    wait "$system" 2>/dev/null || true
  fi
  rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT TERM

export DATA_DIRECTORY="$work/data"

start_system() {
  node dev/tools/setup.mjs start
  NODE_OPTIONS=--max-old-space-size=1024 node dist/bin/dev.js >"$work/start.log" 2>&1 &
  system=$!
  for ((waited = 0; waited < START_LIMIT_SECONDS; waited++)); do
    [ -e "$DATA_DIRECTORY/demo.json" ] && break
    kill -0 "$system" 2>/dev/null || break
    sleep 1
  done
  if [ ! -e "$DATA_DIRECTORY/demo.json" ]; then
    cat "$work/start.log" >&2
    echo 'The system did not start.' >&2
    exit 1
  fi
  base_url=$(demo base_url)
}

demo() { node -p "JSON.parse(require('fs').readFileSync(process.env.DATA_DIRECTORY + '/demo.json')).$1"; }
cli() { node dist/bin/cli.js "$@" --json; }
field() { node -p "JSON.parse(require('fs').readFileSync(0)).$1"; }

# python_tools <name> <folder with requirements.txt>: sets `$tools` to a virtual environment in the cache
# that has them, by checksum.
python_tools() {
  unavailable() {
    echo "$1 cannot run here: $2" >&2
    exit 1
  }
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    unavailable "$1" 'it needs Python 3.11 or later'
  local pins
  pins=$(python3 -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest()[:12])' "$2/requirements.txt")
  tools="${XDG_CACHE_HOME:-$HOME/.cache}/payment-api/$1-$pins"
  if [ ! -e "$tools/.installed" ]; then
    echo "Installing $1 …" >&2
    python3 -m venv --clear "$tools" || unavailable "$1" 'python3 has no venv'
    "$tools/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$2/requirements.txt" ||
      unavailable "$1" 'pip cannot install it'
    touch "$tools/.installed"
  fi
}
