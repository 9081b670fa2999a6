#!/usr/bin/env bash
# npm run check:secrets
#
# Looks for secrets in everything that git has of this checkout, with gitleaks and .gitleaks.toml. First it
# plants one of each kind in an empty folder and demands that they are found: a scan that finds nothing
# because it is broken must not pass. Needs git, Node, and Go to build gitleaks once per machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly SOURCE=dev/tools/gitleaks
pins=$(node -p "require('crypto').createHash('sha256').update(require('fs').readFileSync('$SOURCE/go.sum')).digest('hex').slice(0, 12)")
gitleaks="${XDG_CACHE_HOME:-$HOME/.cache}/payment-api/gitleaks-$pins/gitleaks"
if [ ! -x "$gitleaks" ]; then
  command -v go >/dev/null || { echo 'The secret scan needs Go, to build gitleaks: install it.' >&2; exit 1; }
  echo 'Building gitleaks with Go (once per machine, about a minute) …' >&2
  mkdir -p "$(dirname "$gitleaks")"
  (cd "$SOURCE" && CGO_ENABLED=0 go build -trimpath -ldflags=-s -o "$gitleaks.$$" github.com/zricethezav/gitleaks/v8)
  mv "$gitleaks.$$" "$gitleaks"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scan() { "$gitleaks" dir "$1" --config .gitleaks.toml --no-banner --log-level error --redact "${@:2}"; }

mkdir "$work/planted" "$work/files"
# Made here, so that this file holds none itself.
node -e "
  const random = (n, digits) => Array.from(require('crypto').randomBytes(n), (b) => digits[b % digits.length]).join('');
  const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  for (const [i, planted] of [
    'pay_live_' + random(38, letters), 'sk_test_' + random(38, letters),
    'whsec_' + require('crypto').randomBytes(32).toString('base64'),
  ].entries()) require('fs').writeFileSync(process.argv[1] + '/' + i + '.txt', 'const secret = \"' + planted + '\"\n');
" "$work/planted"
scan "$work/planted" --exit-code 0 --report-format json --report-path "$work/found.json"
node -e "
  const found = new Set(JSON.parse(require('fs').readFileSync(process.argv[1])).map(({ File }) => File));
  if (found.size !== 3) { console.error('The scan found ' + found.size + ' of 3 planted secrets.'); process.exit(1); }
" "$work/found.json"

git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
  [ -f "$file" ] && printf '%s\0' "$file"
done | tar --null --files-from=- -cf - | tar -xf - -C "$work/files"
scan "$work/files" --verbose
echo 'Secrets: 3 of 3 planted ones found, none in the checkout.'
