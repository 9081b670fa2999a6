export default async function tearDown(): Promise<void> {
  await globalThis.containers?.engine.stop();
  globalThis.containers?.lock.release();
}
