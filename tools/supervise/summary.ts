const SHOWN_LEVELS = new Set(['warn', 'error', 'fatal']);
/**
 * Fields that are shown after the message, in this order. The message of an error in `err` follows. Other fields are
 * not shown.
 */
const SHOWN_FIELDS = ['file', 'resource', 'problems', 'reason', 'code'];
const LONGEST = 300;

/** Returns a log line in short form for the terminal, or undefined if it is not important. */
export function summarize(line: string): { level: 'warn' | 'error'; text: string } | undefined {
  const entry = parse(line);
  if (entry === undefined) {
    // Lines that are not JSON come from Redis, or from Node itself when it reports a crash or a deprecation.
    return /\b(error|fatal|panic|can't|cannot|failed|out of memory)\b/i.test(line)
      ? { level: 'error', text: shorten(line.trim()) }
      : undefined;
  }
  const { level, message, err } = entry;
  if (typeof level !== 'string' || !SHOWN_LEVELS.has(level)) return undefined;
  const parts = SHOWN_FIELDS.flatMap((field) =>
    entry[field] === undefined ? [] : [`${field}: ${show(entry[field])}`],
  );
  const cause = (err as { message?: unknown } | undefined)?.message;
  if (typeof cause === 'string') parts.push(cause);
  const text = [typeof message === 'string' ? message : '', ...parts].filter((part) => part !== '').join(' · ');
  return { level: level === 'warn' ? 'warn' : 'error', text: shorten(text) };
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function shorten(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
