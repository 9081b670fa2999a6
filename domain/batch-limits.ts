// How much one order of transfers may hold, and how many orders may wait.

/** A batch of this size is some 2 MB of JSON, and some seconds of work. */
export const MAX_BATCH_ITEMS = 10_000;
/**
 * The most items of one statement, and so of an atomic batch. For its some 50 ms the accounts of the
 * items are locked, with the one that takes the fees of a currency: payers of a fee in it wait.
 */
export const MAX_STEP_ITEMS = 500;
/** 10,000 items with long names and keys fit. */
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/**
 * The most batches of an account and environment that are not over. They are carried out one after
 * the other.
 */
export const MAX_WAITING_BATCHES = 200;
