import { buildTable, code, wrap } from '../docs/markdown.ts';
import type { Value } from './values.ts';

/** Contents of the page. */
export interface ReadmeParts {
  values: readonly Value[];
  /** ACL rules of each Redis user, by user. */
  redisUsers: Readonly<Record<string, string>>;
}

const INTRODUCTION = `# svc-asr

<!-- Generated from values.yaml by \`npm run charts\`. A test fails if this file is not up to date. -->

Streaming speech recognition as a service. The chart installs an operator that runs a pool of
workers for each ASRModel, gateways with the HTTP and WebSocket API, a console, and Redis.

\`\`\`
helm install svc-asr charts/svc-asr --namespace asr --create-namespace \\
  --set samples.enabled=true,console.adminApi.enabled=true
helm test svc-asr --namespace asr
\`\`\`

A namespace contains one installation. [docs/install.md](../../docs/install.md) describes the
installation step by step, including GPU nodes, upgrade and uninstall.
[docs/settings.md](../../docs/settings.md) lists every setting of the services.`;

/** Builds the README.md of the chart. */
export function buildReadme({ values, redisUsers }: ReadmeParts): string {
  const sections = values.map((value) => {
    const rows = leaves(value).map(({ path, fallback, description }) => [code(path), shown(fallback), description]);
    const about = value.children.length > 0 ? `${wrap(value.description)}\n\n` : '';
    return `### ${value.name}\n\n${about}${buildTable(['value', 'default', 'meaning'], rows)}`;
  });
  const users = Object.entries(redisUsers).map(([user, rights]) => `${user}:\n\n\`\`\`\n${rights.trim()}\n\`\`\``);
  return `${[
    INTRODUCTION,
    '## Values',
    'Helm rejects a value that is not listed.',
    ...sections,
    '## Users of Redis',
    `The services log in to Redis as these users. The chart creates them in its own Redis. If you use
your own Redis, create them with the following rights. Replace ${code('PREFIX')} with ${code('redis.keyPrefix')}.
Lines that start with # are comments.`,
    `Turn the user ${code('default')} off, but leave its rights unchanged
(${code('user default off ~* &* +@all')}). Redis uses that user when it reads its append-only file at
start. If the user has no rights, Redis skips every transaction in the file, and credit and sessions
are lost.`,
    ...users,
  ].join('\n\n')}\n`;
}

function leaves(value: Value): Value[] {
  return value.children.length === 0 ? [value] : value.children.flatMap(leaves);
}

function shown(fallback: unknown): string {
  return code(fallback === '' ? '""' : typeof fallback === 'string' ? fallback : JSON.stringify(fallback));
}
