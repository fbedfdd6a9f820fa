import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { WebSocket } from 'ws';

/** Bytes of mu-law audio in a message, which is 20 ms. */
const BYTES_PER_MESSAGE = 160;
const CALL_TIMEOUT_MS = 120_000;

/**
 * Starts a server for Twilio Media Streams and calls it with recorded audio, one call after the other. Returns the
 * lines that the server prints.
 */
export async function playCalls(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
  calls: readonly Buffer[],
): Promise<string[]> {
  const env = { ...options.env, PORT: '0' };
  const child = spawn(command, args, { cwd: options.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  const ended = once(child, 'close');
  try {
    const port = await new Promise<string>((resolve, reject) => {
      child.stderr.on('data', () => {
        const found = /listening on port (\d+)/.exec(errors)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.on('exit', () => reject(new Error(`the server ended:\n${errors}`)));
    });
    for (const audio of calls) await playCall(`ws://127.0.0.1:${port}`, audio);
  } finally {
    child.kill();
    await ended;
  }
  return output.trimEnd().split('\n');
}

/** Sends the messages of a call. Resolves when the server has closed the connection. */
async function playCall(url: string, audio: Buffer): Promise<void> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const closed = once(socket, 'close', { signal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
  const send = (message: object) => socket.send(JSON.stringify(message));
  const [streamSid, mediaFormat] = ['MZ0', { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 }];
  send({ event: 'connected', protocol: 'Call', version: '1.0.0' });
  send({ event: 'start', sequenceNumber: '1', streamSid, start: { streamSid, tracks: ['inbound'], mediaFormat } });
  for (let at = 0, chunk = 1; at < audio.length; at += BYTES_PER_MESSAGE, chunk++) {
    const payload = audio.subarray(at, at + BYTES_PER_MESSAGE).toString('base64');
    const media = { track: 'inbound', chunk: String(chunk), timestamp: String(chunk * 20), payload };
    send({ event: 'media', sequenceNumber: String(chunk + 1), streamSid, media });
  }
  send({ event: 'stop', streamSid });
  await closed;
}
