// Runs in the network of a cluster's first node: `node dial-process.ts SOCKET`. Whoever connects to the socket, which
// needs no network, says `HOST PORT` on a line of its own and is connected to it. See forward.ts.
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';

const LONGEST_LINE = 300;
const [path] = process.argv.slice(2);

function join(client: Socket, host: string, port: number, rest: Buffer): void {
  const server = connect({ host, port, allowHalfOpen: true });
  for (const [from, to] of [
    [client, server],
    [server, client],
  ] as const) {
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  }
  if (rest.length > 0) server.write(rest);
  client.pipe(server);
  server.pipe(client);
}

createServer({ allowHalfOpen: true }, (client) => {
  let head = Buffer.alloc(0);
  const read = (piece: Buffer) => {
    head = Buffer.concat([head, piece]);
    const end = head.indexOf('\n');
    if (end === -1) {
      if (head.length > LONGEST_LINE) client.destroy();
      return;
    }
    client.off('data', read);
    client.pause();
    const [host = '', port = ''] = head.subarray(0, end).toString().split(' ');
    join(client, host, Number(port), head.subarray(end + 1));
  };
  client.on('data', read);
  client.on('error', () => client.destroy());
}).listen(path);
