import { parseChaosArguments } from '../chaos/arguments.ts';
import { runChaos } from '../chaos/run.ts';
import { SCENARIOS } from '../chaos/scenarios.ts';
import { endOnSignal } from '../checks/command.ts';
import { verdict } from '../checks/step.ts';
import { REDIS } from '../install/programs.ts';
import { ensureInstalled } from '../install/system-package.ts';
import { runTask, logProgress } from '../launch/terminal.mjs';

await runTask(async () => {
  const chosen = parseChaosArguments(process.argv.slice(2), SCENARIOS);
  if (chosen === undefined) {
    const lines = Object.entries(SCENARIOS).map(
      ([name, { what, rounds }]) => `  ${name}  ${what} (${rounds} rounds)\n`,
    );
    process.stdout.write(`npm run chaos -- NAME [--rounds N]\n${lines.join('')}`);
    return 0;
  }
  endOnSignal();
  await ensureInstalled(REDIS);
  const startedAt = performance.now();
  const total = await runChaos(chosen);
  const minutes = (performance.now() - startedAt) / 60_000;
  logProgress(`chaos ${chosen.name}: ${chosen.rounds} rounds of each fault in ${minutes.toFixed(1)} min`);
  process.stdout.write(`${verdict(total)}\n`);
  return total.failed === 0 ? 0 : 1;
});
