/** Transcribes a WAV file with `longStream`, as the program of a user would. Prints the segments as JSON. */
import { createReadStream, statSync } from 'node:fs';
import { createClient, createWavConverter } from '@svc-asr/client';
import type { Segment } from './balance.ts';

const [file = '', model = ''] = process.argv.slice(2);
const { SVC_ASR_BASE_URL: baseUrl = '', SVC_ASR_API_KEY: apiKey = '' } = process.env;
const WAV_HEADER_BYTES = 44;

const client = createClient({ baseUrl, apiKey });
const stream = client.longStream({ model }, { totalSamples: (statSync(file).size - WAV_HEADER_BYTES) / 2 });
const segments: Segment[] = [];
const reading = (async () => {
  for await (const event of stream) {
    if (event.type === 'final') {
      segments.push({ start_ms: event.audio_start_ms, end_ms: event.audio_end_ms, text: event.text });
    }
  }
})();
const converter = createWavConverter();
for await (const bytes of createReadStream(file)) await stream.send(converter.push(bytes as Uint8Array));
await stream.send(converter.end().pcm);
await stream.flush();
await stream.close();
await reading;
process.stdout.write(JSON.stringify(segments));
