import { endOnSignal } from '../checks/command.ts';
import { selectCases, USAGE } from '../compat/arguments.ts';
import { CASES } from '../compat/cases.ts';
import { runCases } from '../compat/run.ts';
import { buildTable, findFault } from '../compat/table.ts';
import { REDIS } from '../install/programs.ts';
import { ensureInstalled } from '../install/system-package.ts';
import { logProgress, runTask } from '../launch/terminal.mjs';

endOnSignal();
await runTask(async () => {
  const cases = selectCases(process.argv.slice(2), CASES);
  if (cases === undefined) {
    process.stdout.write(`${USAGE}\n${CASES.map(({ name }) => `  ${name}\n`).join('')}`);
    return 0;
  }
  await ensureInstalled(REDIS);
  const results = await runCases(cases);
  process.stdout.write(buildTable(results));
  const faults = results.flatMap((result) => {
    const fault = findFault(result);
    return fault === undefined ? [] : [`${result.client}, ${result.route}: ${fault}`];
  });
  for (const fault of faults) logProgress(fault);
  return faults.length === 0 ? 0 : 1;
});
