/**
 * Transcribes a WAV file in native sessions. Utterances end where the gateway ends them when it transcribes a file: at
 * a pause of 1 s, or at the quietest moment between 230 and 240 s. Prints the utterances as JSON.
 */
import { readFileSync } from 'node:fs';
import { createClient } from '@svc-asr/client';
import { AUDIO } from '@svc-asr/core';
import { FileAudio, MAX_UTTERANCE_BYTES } from '../../gateway/src/openai/file-audio.ts';
import type { Segment } from './balance.ts';

const WAV_HEADER_BYTES = 44;
const BYTES_PER_MS = 32;
const PAUSE_MS = 1000;

const [file = '', model = ''] = process.argv.slice(2);
const { SVC_ASR_BASE_URL: baseUrl = '', SVC_ASR_API_KEY: apiKey = '' } = process.env;
const client = createClient({ baseUrl, apiKey });
const audio = readFileSync(file).subarray(WAV_HEADER_BYTES);

/** Returns the end of the longest utterance that can start at the given byte. */
async function findLimit(start: number): Promise<number> {
  const range = audio.subarray(start, start + MAX_UTTERANCE_BYTES + AUDIO.bytesPerSample);
  const parts = new FileAudio([range].values() as never, true);
  let bytes = 0;
  for (;;) {
    await parts.prepare(bytes);
    const { pcm, endsUtterance } = parts.take(bytes);
    bytes += pcm?.length ?? 0;
    if (endsUtterance) return start + bytes;
  }
}

/**
 * Transcribes the utterances of a session that starts at the given byte. The flush at the end of the session may cut
 * off an utterance. That utterance counts only if it has reached the length limit, or if the file ends there. Otherwise
 * the next session transcribes it again.
 */
async function transcribeFrom(start: number): Promise<Segment[]> {
  const end = await findLimit(start);
  const stream = client.stream({ model, maxAudioSeconds: 300 });
  await stream.config({ endpointing: { silence_ms: PAUSE_MS } });
  const segments: Segment[] = [];
  const reading = (async () => {
    for await (const event of stream) {
      if (event.type !== 'final') continue;
      const isComplete = event.endpoint === true || segments.length === 0 || end === audio.length;
      const [startMs, endMs] = [event.audio_start_ms, event.audio_end_ms].map((ms) => ms + start / BYTES_PER_MS);
      if (isComplete) segments.push({ start_ms: startMs ?? 0, end_ms: endMs ?? 0, text: event.text });
    }
  })();
  await stream.send(audio.subarray(start, end));
  await stream.flush();
  await stream.close();
  await reading;
  return segments;
}

const all: Segment[] = [];
for (let at = 0; at < audio.length;) {
  all.push(...(await transcribeFrom(at)));
  at = (all.at(-1)?.end_ms ?? Infinity) * BYTES_PER_MS;
}
process.stdout.write(JSON.stringify(all));
