// `npm start` as a process.

import { startEverything } from '../dev/main';

void startEverything();
