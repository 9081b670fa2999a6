// The process of `npm run topology`.

import { runTopology } from '../dev/topology/main';

void runTopology();
