// The error of a database whose schema does not fit; a process that meets it must not start.

/** The schema and this version do not fit together. The message is one sentence for the operator. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}
