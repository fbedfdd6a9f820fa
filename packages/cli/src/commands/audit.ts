import { createAdminApi } from '../admin-api.ts';
import type { Command } from '../command.ts';
import { queryOf } from '../query.ts';
import { formatTime } from '../duration.ts';

interface AuditAnswer {
  data: {
    id: string;
    at: string;
    actor: string;
    actor_name: string | null;
    action: string;
    target: string;
    detail: Record<string, unknown>;
    request_id: string;
  }[];
  has_more: boolean;
}

const list: Command = {
  words: ['admin', 'audit'],
  args: [],
  summary: 'Show the audit log, newest entry first.',
  api: 'admin',
  examples: ['svc-asr admin audit --tenant acme', 'svc-asr admin audit --action key.revoke --limit 200'],
  options: {
    tenant: { value: 'NAME', help: 'Only entries about this tenant.' },
    actor: { value: 'ACTOR', help: 'Only actions of this actor, such as admin-token.' },
    action: { value: 'ACTION', help: 'Only this kind of action, such as tenant.grant.' },
    before: { value: 'ID', help: 'Only entries before this one, to see the next page.' },
    limit: { value: 'N', help: 'Number of entries, at most 200. Default: 50.' },
  },
  run: async ({ option, json, output, adminEndpoint }) => {
    const answer = await createAdminApi(adminEndpoint()).call('GET', `/audit${queryOf(list, option)}`);
    if (json) {
      output.json(answer);
      return;
    }
    const { data, has_more: hasMore } = answer as AuditAnswer;
    output.table(
      ['TIME', 'ACTION', 'TARGET', 'ACTOR', 'DETAIL', 'REQUEST'],
      data.map((entry) => [
        formatTime(entry.at, '-'),
        entry.action,
        entry.target,
        entry.actor_name ?? entry.actor,
        formatDetail(entry.detail),
        entry.request_id,
      ]),
      { optional: ['REQUEST', 'DETAIL'] },
    );
    const last = data.at(-1);
    if (hasMore && last !== undefined) output.note(`There are older entries. Add --before ${last.id} to see them.`);
  },
};

function formatDetail(detail: Record<string, unknown>): string {
  const facts = Object.entries(detail).map(([name, value]) => `${name}=${String(value)}`);
  return facts.length === 0 ? '-' : facts.join(' ');
}

export const AUDIT_COMMANDS: readonly Command[] = [list];
