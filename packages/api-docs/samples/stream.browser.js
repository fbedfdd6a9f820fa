// Ask for the microphone first, because the user may need longer than the 60 seconds that the credential is valid.
const microphone = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });

// Your server creates the session (POST /v1/asr/sessions). The API key stays on the server.
const session = await (await fetch('/asr-session', { method: 'POST' })).json();

const audio = new AudioContext({ sampleRate: session.audio.sample_rate_hz }); // the browser resamples
await audio.audioWorklet.addModule('/pcm16.js');
const source = audio.createMediaStreamSource(microphone);
const pcm16 = new AudioWorkletNode(audio, 'pcm16');
pcm16.connect(audio.destination); // keeps the worklet running; it plays nothing

const socket = new WebSocket(session.websocket_url, session.websocket_protocols);
const transcript = document.querySelector('#transcript');

// Audio and `flush` must not be sent before `ready`. Until then, they wait here.
const waiting = [];
let send = (message) => waiting.push(message);

socket.onmessage = ({ data }) => {
  const event = JSON.parse(data);
  if (event.type === 'status') transcript.textContent = event.message;
  if (event.type === 'ready') {
    send = (message) => socket.send(message);
    waiting.forEach(send);
  }
  if (event.type === 'delta') transcript.textContent = event.text; // the whole text: replace, do not append
  if (event.type === 'error') console.warn(event.code, event.message);
  if (event.type === 'final') {
    transcript.textContent = event.text;
    socket.close(1000);
  }
};
socket.onclose = ({ code, reason }) => {
  stopMicrophone();
  audio.close();
  if (code !== 1000) console.warn('stream ended', code, reason); // see the table of close codes
};

pcm16.port.onmessage = ({ data: frame }) => send(frame ?? JSON.stringify({ type: 'flush' })); // null: end of the audio
source.connect(pcm16); // speech before this line is lost here; @svc-asr/client/microphone keeps it

function stopMicrophone() {
  source.disconnect();
  microphone.getTracks().forEach((track) => track.stop());
}
document.querySelector('#stop').onclick = () => {
  stopMicrophone();
  pcm16.port.postMessage('end'); // the transcript follows, also if the service was not ready yet
};
