// Transcribes files with the OpenAI package: node file.mjs MODEL LANGUAGE FILE...
// OPENAI_BASE_URL and OPENAI_API_KEY name the service and the key. Prints one line per file.
import { createReadStream } from 'node:fs';
import OpenAI from 'openai';

const [model, language, ...files] = process.argv.slice(2);
const client = new OpenAI();
for (const file of files) {
  const transcription = await client.audio.transcriptions.create({ model, language, file: createReadStream(file) });
  console.log(transcription.text);
}
