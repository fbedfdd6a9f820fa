// stream.mjs: needs ffmpeg, and the package ws (npm install ws). Run it with: node stream.mjs speech.wav
import { execFileSync } from 'node:child_process';
import WebSocket from 'ws';
import { createSession } from './create-session.mjs'; // the Node example of "Create a session"

const options = ['-v', 'error', '-i', process.argv[2], '-f', 's16le', '-ac', '1', '-ar', '16000', '-'];
const pcm = execFileSync('ffmpeg', options, { maxBuffer: 64 * 1024 * 1024 });
const session = await createSession('svc-asr-kikuyu-v1', Math.min(300, Math.ceil(pcm.length / 32_000)));

const socket = new WebSocket(session.websocket_url, session.websocket_protocols);
socket.on('message', async (data) => {
  const event = JSON.parse(data);
  if (event.type === 'ready') await sendAll();
  if (event.type === 'delta') process.stderr.write(`\r${event.text}`);
  if (event.type === 'error') console.error(event.code, event.message);
  if (event.type === 'final') {
    console.log(`\n${event.text}`);
    socket.close(1000);
  }
});
socket.on('unexpected-response', (request, response) => console.error('refused with', response.statusCode));
socket.on('close', (code, reason) => console.error('closed', code, reason.toString()));

async function sendAll() {
  for (let at = 0; at < pcm.length; at += 32_000) {
    const frame = pcm.subarray(at, at + 32_000);
    await new Promise((sent) => socket.send(frame, sent)); // waits when the server applies back pressure
  }
  socket.send(JSON.stringify({ type: 'flush' }));
}
