import { parseChaosArguments } from '../chaos/arguments.ts';
import { runChaos } from '../chaos/run.ts';
import { SCENARIOS } from '../chaos/scenarios.ts';
import { endOnSignal } from '../checks/command.ts';
import { verdict } from '../checks/step.ts';
import { ensureRedisServer } from '../install/redis.ts';
import { say, stop } from '../launch/terminal.mjs';

function readArguments() {
  try {
    return parseChaosArguments(process.argv.slice(2), SCENARIOS);
  } catch (error) {
    return stop(error instanceof Error ? error.message : String(error));
  }
}

const chosen = readArguments();
if (chosen === undefined) {
  const lines = Object.entries(SCENARIOS).map(([name, { what, rounds }]) => `  ${name}  ${what} (${rounds} rounds)\n`);
  process.stdout.write(`npm run chaos -- NAME [--rounds N]\n${lines.join('')}`);
  process.exit(0);
}

endOnSignal();
ensureRedisServer();
const startedAt = performance.now();
const total = await runChaos(chosen);
const minutes = (performance.now() - startedAt) / 60_000;
say(`chaos ${chosen.name}: ${chosen.rounds} rounds of each fault in ${minutes.toFixed(1)} min`);
process.stdout.write(`${verdict(total)}\n`);
process.exit(total.failed === 0 ? 0 : 1);
