import { createAdminApi } from '../admin-api.ts';
import type { Command } from '../command.ts';
import { formatDuration, formatTime } from '../duration.ts';
import { queryOf } from '../query.ts';

type Row = Readonly<Record<string, string | number | null | undefined>>;

const text = (row: Row, name: string) => {
  const { [name]: value } = row;
  return value === null || value === undefined || value === '' ? '-' : String(value);
};
const duration = (row: Row, name: string) => formatDuration(Number(row[name]));
const time = (row: Row, name: string) => formatTime(row[name] as string | null, '-');

interface View {
  summary: string;
  options: Command['options'];
  columns: Readonly<Record<string, (row: Row) => string>>;
  /** Columns that a narrow terminal leaves out, the least important first. */
  optional?: readonly string[];
}

/** Creates the command `admin tenants WORD NAME`, which lists data of one tenant, such as its sessions. */
function viewCommand(word: string, { summary, options, columns, optional = [] }: View): Command {
  const command: Command = {
    words: ['admin', 'tenants', word],
    args: ['NAME'],
    summary,
    api: 'admin',
    options,
    run: async ({ argument, option, json, output, adminEndpoint }) => {
      const path = `/tenants/${encodeURIComponent(argument('NAME'))}/${word}${queryOf(command, option)}`;
      const answer = await createAdminApi(adminEndpoint()).call('GET', path);
      if (json) {
        output.json(answer);
        return;
      }
      const { data, has_more: hasMore } = answer as { data: Row[]; has_more?: boolean };
      output.table(
        Object.keys(columns),
        data.map((row) => Object.values(columns).map((cell) => cell(row))),
        { optional },
      );
      if (hasMore === true) output.note('There are more. Use --limit or --before to see them.');
    },
  };
  return command;
}

export const sessions = viewCommand('sessions', {
  summary: 'List the latest sessions of a tenant.',
  options: {
    limit: { value: 'N', help: 'Number of sessions, at most 100. Default: 20.' },
    before: { value: 'ID', help: 'Only sessions before this one.' },
    state: { value: 'STATE', help: 'Only sessions in this state.' },
    model: { value: 'MODEL', help: 'Only sessions of this model.' },
    'key-id': { value: 'KEYID', help: 'Only sessions that this key created.' },
    'end-reason': { value: 'REASON', help: 'Only sessions that ended for this reason.' },
  },
  columns: {
    SESSION: (row) => text(row, 'id'),
    STATE: (row) => text(row, 'state'),
    CHARGED: (row) => duration(row, 'billable_ms'),
    CREATED: (row) => time(row, 'created_at'),
    'END REASON': (row) => text(row, 'end_reason'),
    MODEL: (row) => text(row, 'model'),
    KEY: (row) => text(row, 'key_id'),
    REQUEST: (row) => text(row, 'request_id'),
  },
  optional: ['REQUEST', 'KEY', 'MODEL', 'END REASON'],
});

export const refusals = viewCommand('refusals', {
  summary: 'List the API requests of a tenant that were refused in the last days.',
  options: {
    limit: { value: 'N', help: 'Number of requests, at most 200. Default: 50.' },
    'request-id': { value: 'ID', help: 'Only the request with this id.' },
  },
  columns: {
    TIME: (row) => time(row, 'at'),
    STATUS: (row) => text(row, 'status'),
    CODE: (row) => text(row, 'code'),
    REQUEST: (row) => `${text(row, 'method')} ${text(row, 'path')}`,
    KEY: (row) => text(row, 'key_id'),
    'REQUEST ID': (row) => text(row, 'request_id'),
  },
  optional: ['REQUEST ID', 'KEY'],
});

export const keys = viewCommand('keys', {
  summary: 'List the API keys of a tenant.',
  options: {},
  columns: {
    'KEY ID': (row) => text(row, 'key_id'),
    NAME: (row) => text(row, 'name'),
    'ENDS IN': (row) => text(row, 'last_four'),
    'LAST USED': (row) => time(row, 'last_used_at'),
    EXPIRES: (row) => time(row, 'expires_at'),
  },
});

export const usage = viewCommand('usage', {
  summary: 'Show the usage of a tenant by day and model.',
  options: { days: { value: 'N', help: 'Number of days, at most 400. Default: 30.' } },
  columns: {
    DAY: (row) => text(row, 'day'),
    MODEL: (row) => text(row, 'model'),
    SESSIONS: (row) => text(row, 'sessions'),
    AUDIO: (row) => duration(row, 'audio_ms'),
    CHARGED: (row) => duration(row, 'billable_ms'),
  },
});

export const grants: Command = {
  words: ['admin', 'tenants', 'grants'],
  args: ['NAME'],
  summary: 'List the grants and corrections of a tenant.',
  api: 'admin',
  options: {},
  run: async ({ argument, json, output, adminEndpoint }) => {
    const path = `/tenants/${encodeURIComponent(argument('NAME'))}`;
    const answer = await createAdminApi(adminEndpoint()).call('GET', path);
    const { spec } = answer as { spec: { grants: { id: string; audioSeconds: number; note?: string }[] } };
    if (json) output.json({ object: 'list', data: spec.grants });
    else {
      const rows = spec.grants.map(({ id, audioSeconds, note = '-' }) => [
        id,
        formatDuration(audioSeconds * 1000),
        note,
      ]);
      output.table(['GRANT', 'AMOUNT', 'NOTE'], rows);
    }
  },
};
