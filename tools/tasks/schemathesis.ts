import { endOnSignal } from '../checks/command.ts';
import { REDIS } from '../install/programs.ts';
import { ensureInstalled } from '../install/system-package.ts';
import { runTask } from '../launch/terminal.mjs';
import { runSchemathesis } from '../schemathesis/run.ts';

endOnSignal();
await runTask(async () => {
  await ensureInstalled(REDIS);
  return runSchemathesis(process.argv.slice(2));
});
