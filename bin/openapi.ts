// Prints the OpenAPI document as it is checked in, for an address-free server.

import { buildOpenApi } from '../api/openapi';

process.stdout.write(`${JSON.stringify(buildOpenApi(''), null, 2)}\n`);
