// transcribe-file.mjs
import { openAsBlob } from 'node:fs';

const form = new FormData();
form.append('model', 'svc-asr-kikuyu-v1');
form.append('file', await openAsBlob('speech.wav'), 'speech.wav');
const response = await fetch('https://asr.example.com/v1/audio/transcriptions', {
  method: 'POST',
  headers: { authorization: `Bearer ${process.env.SVC_ASR_API_KEY}` },
  body: form,
});
const { text, error } = await response.json();
console.log(text ?? error.message);
