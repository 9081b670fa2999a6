# Written by npm run clients from api/openapi.json.

VERSION = "0.1.0"
