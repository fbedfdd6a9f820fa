import { buildTable, code } from '../docs/markdown.ts';
import type { Value } from './values.ts';

/** What the page is made of. */
export interface ReadmeParts {
  values: readonly Value[];
  /** What each user of Redis may do, by user. */
  redisUsers: Readonly<Record<string, string>>;
}

const INTRODUCTION = `# svc-asr

<!-- Generated from values.yaml by \`npm run charts\`; a test fails when it differs from it. -->

Streaming speech recognition as a service: an operator that serves ASRModel resources with pools of workers, gateways with the
HTTP and WebSocket API, a console, and Redis.

\`\`\`
helm install svc-asr charts/svc-asr --namespace asr --create-namespace --set samples.enabled=true
helm test svc-asr --namespace asr
\`\`\`

One namespace holds one installation. [docs/install.md](../../docs/install.md) goes through it step by step, GPU nodes, upgrade and
uninstall included; [docs/settings.md](../../docs/settings.md) has every setting of the services.`;

/** The chart's README.md. */
export function buildReadme({ values, redisUsers }: ReadmeParts): string {
  const sections = values.map((value) => {
    const rows = leaves(value).map(({ path, fallback, description }) => [code(path), shown(fallback), description]);
    const about = value.children.length > 0 ? `${value.description}\n\n` : '';
    return `### ${value.name}\n\n${about}${buildTable(['value', 'default', 'meaning'], rows)}`;
  });
  const users = Object.entries(redisUsers).map(([user, rights]) => `${user}:\n\n\`\`\`\n${rights.trim()}\n\`\`\``);
  return `${[
    INTRODUCTION,
    '## Values',
    'A value that is not listed is refused.',
    ...sections,
    '## Users of Redis',
    `The chart's own Redis has them. Where you bring a Redis with users of your own, these are the rights that each needs, with
${code('redis.keyPrefix')} in place of ${code('PREFIX')}. Lines that begin with # are comments.`,
    `Take no rights from the user ${code('default')}: turn it off, and leave it everything else (${code('user default off ~* &* +@all')}).
Redis is that user when it reads its append-only file at start; without rights it skips every transaction in the file, and credit
and sessions are lost.`,
    ...users,
  ].join('\n\n')}\n`;
}

function leaves(value: Value): Value[] {
  return value.children.length === 0 ? [value] : value.children.flatMap(leaves);
}

function shown(fallback: unknown): string {
  return code(fallback === '' ? '""' : typeof fallback === 'string' ? fallback : JSON.stringify(fallback));
}
