// Transcribes phone calls of Twilio Media Streams: node bridge.mjs MODEL LANGUAGE
// OPENAI_BASE_URL and OPENAI_API_KEY name the service and the key. PORT is the port for Twilio, by default 8765.
// Prints one line per utterance. The mu-law audio of a call needs no conversion.
import { WebSocket, WebSocketServer } from 'ws';

const [model, language] = process.argv.slice(2);
const { OPENAI_BASE_URL, OPENAI_API_KEY, PORT = '8765' } = process.env;
const url = `${OPENAI_BASE_URL.replace(/^http/, 'ws')}/realtime?intent=transcription`;
const input = {
  format: { type: 'audio/pcmu' },
  transcription: { model, language },
  turn_detection: { type: 'server_vad', silence_duration_ms: 500 },
};

const server = new WebSocketServer({ host: '127.0.0.1', port: Number(PORT) });
server.on('listening', () => console.error(`listening on port ${server.address().port}`));
server.on('connection', (call) => {
  const realtime = new WebSocket(url, { headers: { Authorization: `Bearer ${OPENAI_API_KEY}` } });
  const opened = new Promise((resolve) => realtime.on('open', resolve));
  const send = (event) => opened.then(() => realtime.send(JSON.stringify(event)));
  let hasStopped = false;
  const open = new Set(); // utterances without a transcript
  send({ type: 'session.update', session: { type: 'transcription', audio: { input } } });

  call.on('message', (text) => {
    const { event, media } = JSON.parse(text);
    if (event === 'media') send({ type: 'input_audio_buffer.append', audio: media.payload });
    if (event !== 'stop') return;
    hasStopped = true;
    send({ type: 'input_audio_buffer.commit' });
  });
  realtime.on('message', (text) => {
    const { type, item_id: item, transcript, error } = JSON.parse(text);
    if (type === 'input_audio_buffer.committed') open.add(item);
    if (type === 'conversation.item.input_audio_transcription.completed') {
      open.delete(item);
      if (transcript !== '') console.log(transcript);
    }
    if (type === 'error') console.error(error.message);
    const isDone = type === 'error' || type.endsWith('.completed') || type.endsWith('.failed');
    if (hasStopped && isDone && open.size === 0) realtime.close();
  });
  realtime.on('error', (error) => console.error(error.message));
  realtime.on('close', () => call.close());
});
