import type { CodeSample } from '../../api/document.ts';

/** Programs that stream: a file from a server, a microphone from a browser. */
export function streamSamples(): CodeSample[] {
  return [
    { lang: 'javascript', label: 'Browser', source: BROWSER },
    { lang: 'javascript', label: 'Browser: pcm16.js', source: WORKLET },
    { lang: 'javascript', label: 'Node', source: NODE },
  ];
}

const BROWSER = `// The microphone first: a person may take longer to allow it than the credential lives.
const microphone = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });

// Your server makes the session (POST /v1/asr/sessions); the API key stays there.
const session = await (await fetch('/asr-session', { method: 'POST' })).json();

const audio = new AudioContext({ sampleRate: session.audio.sample_rate_hz }); // the browser resamples
await audio.audioWorklet.addModule('/pcm16.js');
const source = audio.createMediaStreamSource(microphone);
const pcm16 = new AudioWorkletNode(audio, 'pcm16');
pcm16.connect(audio.destination); // keeps it running; it plays nothing

const socket = new WebSocket(session.websocket_url, session.websocket_protocols);
const transcript = document.querySelector('#transcript');

socket.onmessage = ({ data }) => {
  const event = JSON.parse(data);
  switch (event.type) {
    case 'status': transcript.textContent = event.message; break;
    case 'ready': source.connect(pcm16); break; // audio only from here on
    case 'delta': transcript.textContent = event.text; break; // the whole text: replace it
    case 'final': transcript.textContent = event.text; socket.close(1000); break;
    case 'error': console.warn(event.code, event.message); break;
  }
};
socket.onclose = ({ code, reason }) => {
  microphone.getTracks().forEach((track) => track.stop());
  audio.close();
  if (code !== 1000) console.warn('stream ended', code, reason); // the table of close codes says what to do
};

pcm16.port.onmessage = ({ data: frame }) => {
  if (socket.readyState !== WebSocket.OPEN) return;
  socket.send(frame ?? JSON.stringify({ type: 'flush' })); // null: the last frame is out
};
document.querySelector('#stop').onclick = () => {
  source.disconnect();
  pcm16.port.postMessage('end');
};`;

const WORKLET = `// Turns float samples into 16-bit PCM, 100 ms a frame.
registerProcessor('pcm16', class extends AudioWorkletProcessor {
  frame = new Int16Array(1600);
  length = 0;

  constructor() {
    super();
    this.port.onmessage = () => {
      this.post();
      this.port.postMessage(null);
    };
  }

  process([[samples = []]]) {
    for (const sample of samples) {
      this.frame[this.length++] = Math.max(-1, Math.min(1, sample)) * 32767;
      if (this.length === this.frame.length) this.post();
    }
    return true;
  }

  post() {
    if (this.length > 0) this.port.postMessage(this.frame.slice(0, this.length).buffer);
    this.length = 0;
  }
});`;

const NODE = `import { execFileSync } from 'node:child_process';
import WebSocket from 'ws';
import { createSession } from './create-session.js'; // the Node example of "Create a session"

const pcm = execFileSync('ffmpeg',
  ['-v', 'error', '-i', process.argv[2], '-f', 's16le', '-ac', '1', '-ar', '16000', '-'],
  { maxBuffer: 64 * 1024 * 1024 });
const session = await createSession('svc-asr-kikuyu-v1', Math.min(300, Math.ceil(pcm.length / 32_000)));

const socket = new WebSocket(session.websocket_url, session.websocket_protocols);
socket.on('message', async (data) => {
  const event = JSON.parse(data);
  switch (event.type) {
    case 'ready': await sendAll(); break;
    case 'delta': process.stderr.write(\`\\r\${event.text}\`); break;
    case 'final': console.log(\`\\n\${event.text}\`); socket.close(1000); break;
    case 'error': console.error(event.code, event.message); break;
  }
});
socket.on('unexpected-response', (request, response) => console.error('refused with', response.statusCode));
socket.on('close', (code, reason) => console.error('closed', code, reason.toString()));

async function sendAll() {
  for (let at = 0; at < pcm.length; at += 32_000) {
    const frame = pcm.subarray(at, at + 32_000);
    await new Promise((sent) => socket.send(frame, sent)); // waits while the server slows us down
  }
  socket.send(JSON.stringify({ type: 'flush' }));
}`;
