// Where the checkout is, from the sources and from dist.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const PROJECT = ['../..', '../../..']
  .map((up) => join(__dirname, up))
  .find((folder) => existsSync(join(folder, 'docker-compose.yml')))!;
