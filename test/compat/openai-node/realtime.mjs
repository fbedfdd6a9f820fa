// Transcribes files with the OpenAI package over a WebSocket: node realtime.mjs MODEL LANGUAGE FILE...
// OPENAI_BASE_URL and OPENAI_API_KEY name the service and the key. The files are WAV (mono, 16 kHz, 16 bit) with a
// header of 44 bytes. Prints one line per file.
import { readFile } from 'node:fs/promises';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';

const HEADER_BYTES = 44;
const BYTES_PER_MESSAGE = 3200;

const [model, language, ...files] = process.argv.slice(2);
const client = new OpenAI();
for (const file of files) console.log(await transcribe(await readFile(file)));

function transcribe(wav) {
  return new Promise((resolve, reject) => {
    const realtime = new OpenAIRealtimeWS({ intent: 'transcription' }, client);
    realtime.on('error', reject);
    realtime.on('session.created', () => {
      const format = { type: 'audio/pcm', rate: 16_000 };
      const input = { format, transcription: { model, language }, turn_detection: null };
      realtime.send({ type: 'session.update', session: { type: 'transcription', audio: { input } } });
      for (let at = HEADER_BYTES; at < wav.length; at += BYTES_PER_MESSAGE) {
        const audio = wav.subarray(at, at + BYTES_PER_MESSAGE).toString('base64');
        realtime.send({ type: 'input_audio_buffer.append', audio });
      }
      realtime.send({ type: 'input_audio_buffer.commit' });
    });
    realtime.on('conversation.item.input_audio_transcription.completed', ({ transcript }) => {
      realtime.close();
      resolve(transcript);
    });
    realtime.on('conversation.item.input_audio_transcription.failed', ({ error }) => reject(new Error(error.message)));
  });
}
