import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, tryCommand } from '../../cluster/command.ts';
import { ensureGoTools } from '../../install/go-tools.ts';
import { logProgress } from '../../launch/terminal.mjs';
import { CHART_FOLDER } from '../place.ts';
import { EXCEPTIONS } from './exceptions.ts';
import { judge, parseKubeLinter, parseKubeScore } from './findings.ts';
import type { Finding } from './findings.ts';
import { ensureLinter, LINTER_NAMES } from './linters.ts';
import type { Linter } from './linters.ts';

/** Values that the linters check: the defaults, a replicated Redis, and a production installation behind an Ingress. */
const VALUES = {
  defaults: {},
  sentinel: { redis: { sentinel: { enabled: true } } },
  production: {
    publicUrl: 'https://asr.example.com',
    image: { registry: 'registry.example.com/asr' },
    tls: { mode: 'none' },
    secrets: { create: false },
    redis: { enabled: false, existingSecret: 'redis-url' },
    gateway: {
      trustedProxies: ['10.0.0.0/8'],
      ingress: { enabled: true, className: 'nginx', tlsSecret: 'asr-tls' },
      autoscaling: { enabled: true },
    },
    console: { replicas: 2, adminApi: { enabled: true } },
    usageExport: { enabled: true },
  },
} as const;

/** Version of Kubernetes whose rules kube-score applies. */
const KUBERNETES_VERSION = 'v1.29';

/**
 * Runs the linters on the rendered chart. Returns the exit status: 1 if a finding has no exception, or if an exception
 * matches no finding.
 */
export async function lintChart(names: readonly string[]): Promise<number> {
  const linters = selectLinters(names);
  const { helm } = await ensureGoTools(['helm']);
  const folder = mkdtempSync(join(tmpdir(), 'svc-asr-lint-'));
  try {
    const findings: Finding[] = [];
    for (const [name, values] of Object.entries(VALUES)) {
      const args = ['template', 'svc-asr', CHART_FOLDER, '--namespace', 'asr', '-f', '-'];
      const file = join(folder, `${name}.yaml`);
      writeFileSync(file, await runCommand(helm, args, { input: JSON.stringify(values) }));
      for (const linter of linters) findings.push(...(await runLinter(linter, file)));
    }
    return report(findings, linters);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the named linters, or all if none is named. */
function selectLinters(names: readonly string[]): Linter[] {
  const unknown = names.find((name) => !LINTER_NAMES.some((linter) => linter === name));
  if (unknown !== undefined) throw new Error(`"${unknown}" is no linter; use ${LINTER_NAMES.join(' or ')}`);
  return names.length === 0 ? [...LINTER_NAMES] : LINTER_NAMES.filter((linter) => names.includes(linter));
}

/** Runs a linter on a file with objects. Linters end with a status other than 0 if they have findings. */
async function runLinter(linter: Linter, file: string): Promise<Finding[]> {
  const program = await ensureLinter(linter);
  if (linter === 'kube-linter') {
    const { stdout } = await tryCommand(program, ['lint', '--format', 'json', file]);
    return parseKubeLinter(stdout);
  }
  const args = ['score', '--output-format', 'json', '--kubernetes-version', KUBERNETES_VERSION, file];
  const { stdout } = await tryCommand(program, args);
  return parseKubeScore(stdout);
}

function report(findings: readonly Finding[], linters: readonly Linter[]): number {
  const exceptions = EXCEPTIONS.filter(({ linter }) => linters.includes(linter));
  const { open, unused } = judge(findings, exceptions);
  for (const { linter, check, object, message } of open) logProgress(`${linter} ${check}: ${object}: ${message}`);
  for (const { linter, check, where } of unused) {
    logProgress(`no finding of ${linter} ${check} matches ${String(where)}; remove the exception`);
  }
  logProgress(`${findings.length} findings, ${open.length} of them without an exception`);
  return open.length + unused.length > 0 ? 1 : 0;
}
