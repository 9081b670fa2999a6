// Apart from the connection: processes that have none print it too.

/** Search attributes are missing, and this process may not add them. */
export class SearchAttributesError extends Error {
  override readonly name = 'SearchAttributesError';
}
