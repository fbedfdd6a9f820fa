import { endOnSignal, runCommand } from '../checks/command.ts';
import { jestCommand } from '../checks/jest.ts';
import { ensureTestTools } from '../install/test-tools.ts';
import { logProgress, runTask } from '../launch/terminal.mjs';
import { chooseTests } from '../valkey/arguments.ts';
import { ensureValkey } from '../valkey/server.ts';

endOnSignal();
await runTask(async () => {
  const args = process.argv.slice(2);
  if (args.includes('--install')) {
    await ensureValkey();
    return 0;
  }
  const tests = chooseTests(args);
  await ensureTestTools();
  const { path, version } = await ensureValkey();
  logProgress(`Valkey: ${path} ${version}`);
  process.env.REDIS_SERVER = path;
  return runCommand(...jestCommand(tests));
});
