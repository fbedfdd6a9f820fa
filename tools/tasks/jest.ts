import { endOnSignal, runCommand } from '../checks/command.ts';
import { jestCommand } from '../checks/jest.ts';
import { ensureRedisServer } from '../install/redis.ts';

endOnSignal();
ensureRedisServer();
process.exit(await runCommand(...jestCommand(process.argv.slice(2))));
