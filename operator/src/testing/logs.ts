import { createLogger } from '@svc-asr/runtime';
import type { Logger } from '@svc-asr/runtime';

export type LogLine = Record<string, unknown> & { level: string; message: string };

/** Creates a logger whose lines a test can read. */
export function createTestLogger(): { logger: Logger; lines: LogLine[]; at: (level: string) => LogLine[] } {
  const lines: LogLine[] = [];
  const logger = createLogger('operator', 'debug', { write: (line) => void lines.push(JSON.parse(line) as LogLine) });
  return { logger, lines, at: (level) => lines.filter((line) => line.level === level) };
}
