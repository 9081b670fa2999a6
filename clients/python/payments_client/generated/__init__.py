# Written by npm run clients from api/openapi.json.
