// Runs outside of the network of a cluster: `node forward-process.ts SOCKET HOST PORT AT`. See forward.ts.
import { openForward } from './forward.ts';

const [socket = '', host = '', port, at] = process.argv.slice(2);
await openForward(socket, host, Number(port), Number(at));
