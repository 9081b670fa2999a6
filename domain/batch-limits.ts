// How much one order of transfers may hold, and how many orders may wait.

/** Some 2 MB of JSON, and some seconds of work. */
export const MAX_BATCH_ITEMS = 10_000;
/** 10,000 items with long names and keys. */
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** Of one account and environment that are not over. They are carried out one after the other. */
export const MAX_WAITING_BATCHES = 200;
