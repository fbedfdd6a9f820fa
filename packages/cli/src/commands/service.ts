import type { Command } from '../command.ts';
import { formatDuration, formatTime } from '../duration.ts';
import { clientOf } from '../service-client.ts';

const models: Command = {
  words: ['models'],
  args: [],
  summary: 'List the installed recognition models.',
  api: 'service',
  options: {},
  run: async (invocation) => {
    const { json, output } = invocation;
    const list = await clientOf(invocation, { needsKey: false }).listModels();
    if (json) {
      output.json({ object: 'list', data: list });
      return;
    }
    output.table(
      ['MODEL', 'LANGUAGE', 'CODE', 'MAX AUDIO'],
      list.map((model) => {
        const longest = formatDuration(model.max_audio_seconds * 1000);
        return [model.id, model.language, model.language_code, longest];
      }),
    );
  },
};

const usage: Command = {
  words: ['usage'],
  args: [],
  summary: 'Show the credit and the latest sessions of the account.',
  api: 'service',
  options: {},
  run: async (invocation) => {
    const { json, output } = invocation;
    const balance = await clientOf(invocation, { needsKey: true }).usage();
    if (json) {
      output.json(balance);
      return;
    }
    const { budget } = balance;
    output.table(
      ['AVAILABLE', 'RESERVED', 'CONSUMED', ...(budget === undefined ? [] : ['BUDGET', 'RENEWS'])],
      [
        [
          ...[balance.available_ms, balance.reserved_ms, balance.consumed_ms].map(formatDuration),
          ...(budget === undefined ? [] : [formatDuration(budget.remaining_ms), formatTime(budget.renews_at, '-')]),
        ],
      ],
    );
    if (balance.recent_sessions.length === 0) return;
    output.line('');
    output.table(
      ['SESSION', 'MODEL', 'STATUS', 'AUDIO', 'CHARGED', 'CREATED (UTC)', 'COMPLETED (UTC)'],
      balance.recent_sessions.map((session) => [
        session.id,
        session.model,
        session.status,
        formatDuration(session.audio_ms),
        formatDuration(session.billable_ms),
        utcOf(session.created_at),
        utcOf(session.completed_at),
      ]),
      { optional: ['COMPLETED (UTC)', 'MODEL', 'AUDIO'] },
    );
  },
};

/** Formats a time for a column whose heading has the time zone. */
function utcOf(time: string | null): string {
  return formatTime(time, '-').replace(' UTC', '');
}

export const SERVICE_COMMANDS: readonly Command[] = [models, usage];
