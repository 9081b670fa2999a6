// The process of `npm start`.

import { startEverything } from '../dev/main';

void startEverything();
