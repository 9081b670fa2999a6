// Prints the OpenAPI document as it is checked in: without a server address.

import { buildOpenApi } from '../api/openapi';

process.stdout.write(`${JSON.stringify(buildOpenApi(''), null, 2)}\n`);
