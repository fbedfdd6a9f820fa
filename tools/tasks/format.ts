import { endOnSignal } from '../checks/command.ts';
import { format } from '../checks/programs.ts';

endOnSignal();
process.exit(await format('--write'));
