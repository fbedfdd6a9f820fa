import { endOnSignal } from '../checks/command.ts';
import { verdict } from '../checks/step.ts';
import { runTask } from '../launch/terminal.mjs';
import { checkPython, formatPython, setUpPython } from '../python/run.ts';

endOnSignal();
await runTask(async () => {
  const [command, ...args] = process.argv.slice(2);
  const environment = await setUpPython();
  if (command === 'format') return formatPython(environment);
  const total = await checkPython(environment, command === undefined ? [] : [command, ...args]);
  process.stdout.write(`${verdict(total)}\n`);
  return total.failed === 0 ? 0 : 1;
});
