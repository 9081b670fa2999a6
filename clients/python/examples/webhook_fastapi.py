"""Receives webhooks: pip install fastapi uvicorn, PAYMENTS_WEBHOOK_SECRETS=whsec_… python webhook_fastapi.py.

During a rotation give both secrets, with a comma between.
"""

import os

import uvicorn
from fastapi import FastAPI, HTTPException, Request

from payments_client import SignatureError, verify_webhook

SECRETS = os.environ["PAYMENTS_WEBHOOK_SECRETS"].split(",")
done: set[str] = set()
"""An event may come twice; in earnest this is a column that is unique."""
app = FastAPI()


@app.post("/hook", status_code=204)
async def receive(request: Request) -> None:
    try:
        # The bytes as they came.
        event = verify_webhook(await request.body(), request.headers, SECRETS)
    except SignatureError as error:
        raise HTTPException(400, error.code) from error
    if event["id"] not in done:
        if event["type"] == "payment.succeeded":
            print(f"{event['data']['reference']} is paid: {event['data']['amount']}", flush=True)
        else:
            print(event["type"], event["id"], flush=True)
        done.add(event["id"])


uvicorn.run(app, port=int(os.environ.get("PORT", "8000")), log_level="warning")
