import { endOnSignal, runCommand } from '../checks/command.ts';
import { jestCommand } from '../checks/jest.ts';
import { ensureTestTools } from '../install/test-tools.ts';

endOnSignal();
await ensureTestTools();
process.exit(await runCommand(...jestCommand(process.argv.slice(2))));
