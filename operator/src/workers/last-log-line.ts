const LONGEST_WORDS = 300;

/** What a program said last in its log, as far as it tells why it ended; the empty text when it said nothing. */
export function findLastLogLine(log: string): string {
  const lines = log
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  // A stack trace says least in its last line: the one that names the error is worth more.
  const telling =
    lines.findLast((line) => /error|fatal|is not set/i.test(line) && !line.startsWith('at ')) ?? lines.at(-1);
  return (telling === undefined ? '' : inWords(telling)).slice(0, LONGEST_WORDS);
}

/** The message of a line of our own log, with the error in it; any other line as it is. */
function inWords(line: string): string {
  try {
    const { message, err } = JSON.parse(line) as { message?: unknown; err?: { message?: unknown } };
    return [message, err?.message].filter((part) => typeof part === 'string').join(': ');
  } catch {
    return line;
  }
}
