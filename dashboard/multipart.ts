// Reads a form with a file (multipart/form-data, RFC 7578), as browsers send it. The body is in
// memory and bounded already.

const LINE = Buffer.from('\r\n');
const HEADER_END = Buffer.from('\r\n\r\n');
/** No form of ours has as many. */
const MAX_PARTS = 20;

export interface MultipartForm {
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** The bytes of the first field that is a file; empty when none was chosen. */
  readonly file: Buffer | undefined;
}

/** Returns undefined for a body that is no such form. */
export function readMultipart(body: Buffer, content_type: string): MultipartForm | undefined {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/i.exec(content_type);
  if (!boundary) return undefined;
  const delimiter = Buffer.from(`--${boundary[1] ?? boundary[2]}`);
  // The first delimiter may stand at the very beginning, each other one on a line of its own.
  const divider = Buffer.concat([LINE, delimiter]);
  const fields: (readonly [string, string])[] = [];
  let file: Buffer | undefined;
  if (!body.subarray(0, delimiter.length).equals(delimiter)) return undefined;
  let at = delimiter.length;
  for (let parts = 0; parts <= MAX_PARTS; parts += 1) {
    if (body.subarray(at, at + 2).toString('latin1') === '--') return { fields, file };
    const end = body.indexOf(divider, at);
    const headers_end = body.indexOf(HEADER_END, at);
    if (end < 0 || headers_end < 0 || headers_end > end) return undefined;
    const headers = body.subarray(at, headers_end).toString('utf8');
    const content = body.subarray(headers_end + HEADER_END.length, end);
    const name = /;\s*name="([^"]*)"/i.exec(headers)?.[1];
    if (name === undefined) return undefined;
    if (/;\s*filename=/i.test(headers)) file ??= content;
    else fields.push([name, content.toString('utf8')]);
    at = end + divider.length;
  }
  return undefined;
}
