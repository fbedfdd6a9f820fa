/**
 * Returns the source code of a server that creates sessions. The server also serves a page that streams the audio of
 * the visitor's microphone.
 */
export function browserServer({ apiUrl, model }: { readonly apiUrl: string; readonly model: string }): string {
  return `import { createServer } from 'node:http';

// The page gets a session that works once. The API key stays on this server.
async function createSession() {
  const response = await fetch('${apiUrl}/v1/asr/sessions', {
    method: 'POST',
    headers: {
      authorization: \`Bearer \${process.env.SVC_ASR_API_KEY}\`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ model: '${model}', max_audio_seconds: 120 }),
  });
  return { status: response.status, type: 'application/json', text: await response.text() };
}

const WORKLET = \`registerProcessor('pcm16', class extends AudioWorkletProcessor {
  process([[samples = new Float32Array(0)]]) {
    const frame = Int16Array.from(samples, (sample) => Math.max(-1, Math.min(1, sample)) * 32767);
    this.port.postMessage(frame.buffer);
    return true;
  }
});\`;

const PAGE = \`<!doctype html><meta charset="utf-8"><title>Dictation</title>
<button id="start">Start</button> <button id="stop" disabled>Stop</button><p id="text"></p>
<script type="module">
const [start, stop, text] = ['start', 'stop', 'text'].map((id) => document.getElementById(id));
start.onclick = async () => {
  start.disabled = true;
  const microphone = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
  const session = await (await fetch('/session', { method: 'POST' })).json();
  if (session.error) return (text.textContent = session.error.message);
  const audio = new AudioContext({ sampleRate: session.audio.sample_rate_hz });
  await audio.audioWorklet.addModule('/worklet.js');
  const recorder = new AudioWorkletNode(audio, 'pcm16');
  const socket = new WebSocket(session.websocket_url, session.websocket_protocols);
  const end = () => {
    microphone.getTracks().forEach((track) => track.stop());
    socket.send(JSON.stringify({ type: 'flush' }));
  };
  socket.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.type === 'ready') {
      recorder.port.onmessage = ({ data: frame }) => socket.send(frame);
      audio.createMediaStreamSource(microphone).connect(recorder).connect(audio.destination);
      stop.onclick = end;
      stop.disabled = false;
    }
    if (event.type === 'delta' || event.type === 'final') text.textContent = event.text;
    if (event.type === 'error') text.textContent = event.message;
    if (event.type === 'final') socket.close(1000);
  };
  socket.onclose = () => audio.close();
};
</script>\`;

const ANSWERS = {
  'GET /': () => ({ status: 200, type: 'text/html', text: PAGE }),
  'GET /worklet.js': () => ({ status: 200, type: 'text/javascript', text: WORKLET }),
  'POST /session': createSession,
};

createServer(async (request, response) => {
  const answer = ANSWERS[\`\${request.method} \${request.url}\`] ?? (() => ({ status: 404, type: 'text/plain', text: '' }));
  const { status, type, text } = await answer();
  response.writeHead(status, { 'content-type': type }).end(text);
}).listen(3000, '127.0.0.1', () => console.log('Open http://localhost:3000'));
`;
}
