// The engine's floor: a workflow that does nothing.

export async function empty(): Promise<void> {}
