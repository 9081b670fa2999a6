// Reads a form with a file, whose body is in memory and bounded already.

import { Busboy } from '@fastify/busboy';

/** No form of ours has as many, nor a field as long. */
const LIMITS = { parts: 20, fieldSize: 64 * 1_024 };
/** A form is read in steps, so that the rest of one that is refused is not looked at. */
const STEP_BYTES = 16 * 1_024;

export interface MultipartForm {
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The bytes of the first field that is a file; empty when none was chosen. */
  readonly file: Buffer | undefined;
}

/** Returns undefined for a body that is no such form. */
export async function readMultipart(
  body: Buffer,
  content_type: string,
): Promise<MultipartForm | undefined> {
  const fields: [name: string, value: string][] = [];
  const files: Buffer[][] = [];
  const read = new Promise<MultipartForm>((resolve, reject) => {
    const parser = new Busboy({ headers: { 'content-type': content_type }, limits: LIMITS });
    const refuse = (): unknown => parser.destroy(new Error('The form is beyond its limits.'));
    parser.on('field', (name, value, _is_name_cut, is_cut) => {
      if (is_cut) refuse();
      fields.push([name, value]);
    });
    parser.on('file', (_name, file) => {
      const chunks: Buffer[] = [];
      files.push(chunks);
      file.on('data', (chunk: Buffer) => chunks.push(chunk));
      // The form fails with it; without a listener the process would.
      file.on('error', reject);
    });
    parser.on('partsLimit', refuse);
    parser.on('error', reject);
    parser.on('finish', () => resolve({ fields, file: files[0] && Buffer.concat(files[0]) }));
    for (let at = 0; at < body.length && !parser.destroyed; at += STEP_BYTES) {
      parser.write(body.subarray(at, at + STEP_BYTES));
    }
    parser.end();
  });
  return read.catch(() => undefined);
}
