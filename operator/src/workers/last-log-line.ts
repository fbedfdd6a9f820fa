const MAX_LENGTH = 300;

/** Returns the line of a log that best explains why a program ended. Empty if the log is empty. */
export function findLastLogLine(log: string): string {
  const lines = log
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  // The last line of a stack trace explains little. The line that names the error is preferred.
  const line = lines.findLast((one) => /error|fatal|is not set/i.test(one) && !one.startsWith('at ')) ?? lines.at(-1);
  return (line === undefined ? '' : readMessage(line)).slice(0, MAX_LENGTH);
}

/** Returns the message and the error of a JSON log line, and any other line unchanged. */
function readMessage(line: string): string {
  try {
    const { message, err } = JSON.parse(line) as { message?: unknown; err?: { message?: unknown } };
    return [message, err?.message].filter((part) => typeof part === 'string').join(': ');
  } catch {
    return line;
  }
}
