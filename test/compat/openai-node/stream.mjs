// Receives the transcripts of files as server-sent events: node stream.mjs MODEL LANGUAGE FILE...
// OPENAI_BASE_URL and OPENAI_API_KEY name the service and the key. Prints one line per file.
import { createReadStream } from 'node:fs';
import OpenAI from 'openai';

const [model, language, ...files] = process.argv.slice(2);
const client = new OpenAI();
for (const file of files) {
  const audio = createReadStream(file);
  const events = await client.audio.transcriptions.create({ model, language, file: audio, stream: true });
  for await (const event of events) if (event.type === 'transcript.text.done') console.log(event.text);
}
