// Responses may get fields in later versions, so their schemas let others pass. Tests close them: a field
// that the service answers today is one that the OpenAPI document names.

type Json = Readonly<Record<string, unknown>>;

/** Refuses fields that a schema does not name, at every depth. */
export function closeSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const closed = Object.fromEntries(
    Object.entries(schema as Json).map(([key, value]) => [key, closeSchema(value)]),
  );
  const names_fields = closed['type'] === 'object' && closed['properties'] !== undefined;
  return names_fields ? { additionalProperties: false, ...closed } : closed;
}
