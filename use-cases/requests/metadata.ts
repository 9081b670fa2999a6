// Reads the metadata of an order.

import type { Metadata } from '../../domain/intent';
import { invalidRequest } from '../../domain/refusal';

// Beyond 15 digits JSON.parse may read another number than the caller wrote.
const FAITHFUL_NUMBER = /^-?(?=(?:\D*\d){1,15}\D*$)\d+(\.\d+)?$/;

/** @throws Refusal invalid_request */
export function readMetadata(metadata: Metadata, numbers: ReadonlyMap<string, string>): Metadata {
  for (const [name, value] of Object.entries(metadata)) {
    if (typeof value !== 'number') continue;
    const pointer = `/metadata/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (FAITHFUL_NUMBER.test(numbers.get(pointer) ?? '')) continue;
    throw invalidRequest(
      `metadata/${name}`,
      'A number in metadata has at most 15 digits and no exponent; write it as text.',
    );
  }
  return metadata;
}

/** The same for the same names and values, in whatever order. */
export function sortedText(metadata: Metadata): string {
  return JSON.stringify(Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1)));
}
