"""python counts.py FILE OPENAPI: every operation must have answered 2xx, and none 429 or 5xx."""

import json
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    counts = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    paths = json.load(file)["paths"]

# A key of the command line is no member's, and the sandbox's clock may end an attempt before its one-time code is given
# and a batch before it is confirmed; test/api/openapi-examples.test.ts has their answers.
SELDOM = ("/approve", "/reject", "/otp", "/payout-batches/{id}/confirm")

# A live key may not call these (403), and a test key may fund a wallet a few times a day (429).
SANDBOX_ONLY = re.compile("^/sandbox/|/faults$")

faults = []
for path, methods in paths.items():
    for method in methods:
        label = f"{method.upper()} {path}"
        statuses = counts.get(label, {})
        print(f"  {label:44}", "  ".join(f"{s}: {n}" for s, n in sorted(statuses.items())))
        is_sandbox_only = SANDBOX_ONLY.search(path) is not None
        if is_sandbox_only and set(statuses) <= {"401", "403"}:
            continue
        if not path.endswith(SELDOM) and not any(status.startswith("2") for status in statuses):
            faults.append(f"{label} never answered 2xx")
        # The key's limits are out of reach: 429 would mean that other calls were not made.
        for status in statuses:
            if (status == "429" and not is_sandbox_only) or status.startswith("5"):
                faults.append(f"{label} answered {status}")
for fault in faults:
    print(f"  {fault}", file=sys.stderr)
sys.exit(1 if faults else 0)
