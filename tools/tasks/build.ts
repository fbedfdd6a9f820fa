import { say } from '../launch/terminal.mjs';

// The launcher has built everything before it comes here.
say('built');
