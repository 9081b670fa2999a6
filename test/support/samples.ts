// The sample programs of the reference, by method and path: `get /wallets`.

import { samplesOf } from '../../api/docs/samples';
import { ROUTES } from '../../api/routes';
import type { Sample } from '../../pages/samples';

export const SAMPLES: Readonly<Record<string, readonly Sample[]>> = Object.fromEntries(
  ROUTES.map((route) => [`${route.method.toLowerCase()} ${route.path}`, samplesOf(route)]),
);
