import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { parseChaosArguments, USAGE } from '../chaos/arguments.ts';
import { buildReport, buildRows } from '../chaos/report.ts';
import { runChaos } from '../chaos/run.ts';
import { endOnSignal } from '../checks/command.ts';
import { ensureGoTools } from '../install/go-tools.ts';
import { ETCD, REDIS } from '../install/programs.ts';
import { ensureInstalled } from '../install/system-package.ts';
import { logProgress, runTask, userPath } from '../launch/terminal.mjs';

/** Time before and after a violation for which the timeline is printed. */
const BEFORE_MS = 30_000;
const AFTER_MS = 2000;
const VIOLATIONS_SHOWN = 5;

await runTask(async () => {
  const args = parseChaosArguments(process.argv.slice(2), () => randomInt(1, 2 ** 31));
  if (args === undefined) {
    process.stdout.write(USAGE);
    return 0;
  }
  endOnSignal();
  await ensureInstalled(REDIS);
  await ensureInstalled(ETCD);
  await ensureGoTools(['kube-apiserver', 'kube-controller-manager', 'kubectl']);
  const { result, timeline, folder } = await runChaos(args);
  const report = buildReport(result);
  process.stdout.write(`${report}\n`);
  if (args.report !== undefined) {
    writeFileSync(userPath(`${args.report}.md`), `${report}\n`);
    const { sessions: _, ...facts } = result;
    writeFileSync(userPath(`${args.report}.timeline.txt`), `${timeline.between(0, Infinity).join('\n')}\n`);
    writeFileSync(userPath(`${args.report}.json`), JSON.stringify({ ...facts, rows: buildRows(result) }, undefined, 2));
  }
  for (const { atMs, text } of timeline.violations.slice(0, VIOLATIONS_SHOWN)) {
    const lines = timeline.between(atMs - BEFORE_MS, atMs + AFTER_MS);
    process.stdout.write(`\n${text}\n${lines.join('\n')}\n`);
  }
  if (timeline.violations.length === 0) return 0;
  logProgress(`chaos: ${timeline.violations.length} violations with seed ${args.seed}. Logs are in ${folder}`);
  return 1;
});
