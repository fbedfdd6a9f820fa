import { logProgress } from '../launch/terminal.mjs';

// The launcher has built everything before it runs this task.
logProgress('built');
