// Every workflow type, by the name that Temporal's UI shows.

export { transfer } from './transfer';
