/** Transcribes ranges of a WAV file, each in a separate session. Prints the texts as JSON. */
import { readFileSync } from 'node:fs';
import { createClient } from '@svc-asr/client';

/** Number of streams at the same time. */
const PARALLEL = 4;
const WAV_HEADER_BYTES = 44;
const BYTES_PER_MS = 32;

const [file = '', model = '', ranges = '[]'] = process.argv.slice(2);
const { SVC_ASR_BASE_URL: baseUrl = '', SVC_ASR_API_KEY: apiKey = '' } = process.env;
const client = createClient({ baseUrl, apiKey });
const audio = readFileSync(file).subarray(WAV_HEADER_BYTES);
const queue = [...(JSON.parse(ranges) as [startMs: number, endMs: number][]).entries()];
const texts: string[] = [];

async function transcribeRanges(): Promise<void> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [at, [startMs, endMs]] = next;
    const stream = client.stream({ model, maxAudioSeconds: 300 });
    await stream.send(audio.subarray(startMs * BYTES_PER_MS, endMs * BYTES_PER_MS));
    texts[at] = (await stream.flush()).text;
    await stream.close();
  }
}

await Promise.all(Array.from({ length: PARALLEL }, transcribeRanges));
process.stdout.write(JSON.stringify(texts));
