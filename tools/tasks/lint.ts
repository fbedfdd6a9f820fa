import { endOnSignal } from '../checks/command.ts';
import { lint } from '../checks/programs.ts';

endOnSignal();
process.exit(await lint(process.argv.slice(2)));
