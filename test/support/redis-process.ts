import { connect } from 'node:net';

/** Returns the process id of a running Redis. */
export async function redisPid(url: string): Promise<number> {
  const { port, password } = new URL(url);
  const info = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(`AUTH ${password}\r\nINFO server\r\nQUIT\r\n`),
    );
    let text = '';
    socket.on('data', (data) => (text += data.toString()));
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
  const pid = Number(/process_id:(\d+)/.exec(info)?.[1]);
  if (!(pid > 0)) throw new Error('INFO of Redis has no process id');
  return pid;
}
