// A body is read up to a limit: its sender does not decide how much memory it takes.

/**
 * Returns the chunks as they came; undefined, without reading on, when they have more bytes than
 * that.
 */
export async function readBounded<Chunk extends Uint8Array>(
  body: AsyncIterable<Chunk>,
  max_bytes: number,
): Promise<Chunk[] | undefined> {
  const chunks: Chunk[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > max_bytes) return undefined;
    chunks.push(chunk);
  }
  return chunks;
}
