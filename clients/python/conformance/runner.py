"""Runs the cases: a line of JSON in, a line out (clients/conformance/README.md), or with --async on asyncio."""

import asyncio
import inspect
import json
import os
import signal
import sys
import traceback
from pathlib import Path
from unittest.mock import patch

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parents[1]))

import payments_client as package  # noqa: E402
from payments_client.transport import AsyncioLine, BlockingLine, _tls  # noqa: E402

IS_ASYNC = "--async" in sys.argv
KINDS = {
    package.ApiError: "api",
    package.ApiConnectionError: "connection",
    package.InvalidArgument: "invalid_argument",
    package.OutcomeUnknown: "outcome_unknown",
    package.SignatureError: "signature",
    asyncio.CancelledError: "aborted",
    KeyboardInterrupt: "interrupted",
}
FIELDS = "code status param request_id retryable retry_after is_unsent details key operation".split()


class Timeout(BaseException):
    """As gevent's."""


BREAKS = {"interrupt": KeyboardInterrupt, "timeout": Timeout}


def break_off(abort):
    raise BREAKS[abort]


class TestLine(AsyncioLine if IS_ASYNC else BlockingLine):
    """Its clock goes forward by the pauses alone."""

    def __init__(self, random, proxy=None):
        super().__init__(proxy=proxy)
        self.waits, self.time, self.random = [], 0.0, lambda: random

    def now(self):
        return self.time

    async def sleep(self, seconds):
        self.waits.append(seconds * 1000)
        self.time += seconds


async def run(case, line, logs):
    given = case["client"]
    kind = package.AsyncPaymentsClient if IS_ASYNC else package.PaymentsClient
    if verify := case.get("verify"):
        verify["raw"] = verify.pop("body").encode()
        verify["tolerance"] = verify.pop("tolerance_seconds", 300)
        return kind("pay_test_none", base_url=given["base_url"]).webhooks.verify(**verify)
    options = {name: given[name] for name in ("base_url", "allow_http", "retries") if name in given}
    times = {name: given[f"{name}_ms"] / 1000 for name in ("timeout", "deadline") if f"{name}_ms" in given}
    abort = case.get("options", {}).pop("abort", None)
    task = asyncio.current_task()
    signal.signal(signal.SIGALRM, lambda *_: break_off(abort))

    def log(entry):
        logs.append(entry)
        # The request is on its way a moment later.
        if abort == "sent":
            asyncio.get_running_loop().call_later(0.05, task.cancel)
        if abort in BREAKS:
            signal.setitimer(signal.ITIMER_REAL, 0.3)
        if given.get("log") == "interrupts" and entry["event"] == "response":
            raise KeyboardInterrupt
        if given.get("log") == "throws":
            raise TypeError("The log is full.")

    client = kind(given["api_key"], **options, **times, log=log, _line=line)
    resource, method = case["call"][0].split(".")
    started = getattr(getattr(client, resource), method)(*case["call"][1:], **case.get("options", {}))
    if abort == "before":
        task.cancel()
    take = case.get("take")
    if take is None:
        result = started.page() if hasattr(started, "page") else started
        result = await result if inspect.isawaitable(result) else result
        return result.decode() if isinstance(result, bytes) else result
    rows = []
    # Both kinds of list: one is iterated, the other awaited.
    if IS_ASYNC:
        async for row in started:
            rows.append(row)
            if len(rows) == take:
                break
    else:
        for row in started:
            rows.append(row)
            if len(rows) == take:
                break
    return rows


def describe(error):
    chain = "".join(with_variables(error))
    text = f"{chain} {error!r} {vars(error)} {error.__cause__!r}"
    key = getattr(error, "idempotency_key", None)
    return {
        "kind": KINDS.get(type(error), type(error).__name__),
        "text": text,
        **{name: getattr(error, name, None) for name in FIELDS},
        **({"key": key} if key else {}),
    }


def with_variables(error):
    """Every trace of the chain, with the variables of the client's own functions."""
    while error:
        yield from traceback.format_exception(error)
        trace = traceback.TracebackException.from_exception(error, capture_locals=True)
        for frame in trace.stack:
            if "/conformance/" not in frame.filename:
                yield str(frame.locals)
        error = error.__cause__ or error.__context__


def main():
    for text in sys.stdin:
        case = json.loads(text, object_hook=lambda value: float(value["$float"]) if "$float" in value else value)
        line, logs, report = None, [], {}
        try:
            line = TestLine(case["client"].get("random"), case["client"].get("proxy"))
            environment = case["client"].get("environment", {})
            if environment:
                _tls.cache_clear()
            with patch.dict(os.environ, environment):
                report["result"] = asyncio.run(run(case, line, logs))
        except BaseException as error:
            report["error"] = describe(error)
        signal.setitimer(signal.ITIMER_REAL, 0)
        report.update(waits_ms=line.waits if line else [], logs=logs)
        # A Decimal, and nothing else, has no JSON of its own.
        print(json.dumps(report, default=str), flush=True)


main()
