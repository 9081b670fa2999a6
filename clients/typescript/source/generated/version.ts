// Written by npm run clients from api/openapi.json.

export const VERSION = '0.1.0';
