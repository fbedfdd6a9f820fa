import { say } from '../launch/terminal.mjs';

// The launcher has built everything before it runs this task.
say('built');
