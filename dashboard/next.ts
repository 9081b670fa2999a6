/** Returns a path of ours: a link must not send people elsewhere after they have signed in. */
export function safeNext(next: string | null): string {
  return next !== null && /^\/(?![/\\])[\w./?=&%:~+*-]*$/.test(next) ? next : '/';
}
