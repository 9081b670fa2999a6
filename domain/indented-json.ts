// JSON text over several lines, for people. The text itself is indented, because parsing and
// serialising it would turn 5000.00 into 5000.

/** Our events are less deep; deeper texts would fill a page with spaces. */
const MAX_INDENT = 16;
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Indents JSON; text that is not JSON comes back as it is. */
export function indentJson(body: string): string {
  try {
    JSON.parse(body);
  } catch {
    // It is not JSON.
    return body;
  }
  const tokens = body.match(TOKENS) ?? [];
  let depth = 0;
  const newLine = (): string => `\n${'  '.repeat(Math.min(depth, MAX_INDENT))}`;
  return tokens
    .map((token, at) => {
      if (token === '{' || token === '[') {
        depth += 1;
        return isEnd(tokens[at + 1]) ? token : token + newLine();
      }
      if (isEnd(token)) {
        depth -= 1;
        return isStart(tokens[at - 1]) ? token : newLine() + token;
      }
      if (token === ',') return token + newLine();
      return token === ':' ? ': ' : token;
    })
    .join('');
}

function isStart(token: string | undefined): boolean {
  return token === '{' || token === '[';
}

function isEnd(token: string | undefined): boolean {
  return token === '}' || token === ']';
}
