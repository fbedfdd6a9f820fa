import { createClient } from '@svc-asr/client';
import type { Client } from '@svc-asr/client';
import type { RecordedModel } from './recordings.ts';

/** Transcribes the recordings of a model with the native protocol, each in a session of its own. */
export async function transcribeNatively(
  baseUrl: string,
  apiKey: string,
  { id, recordings }: RecordedModel,
): Promise<string[]> {
  const client = createClient({ baseUrl, apiKey });
  const transcripts: string[] = [];
  for (const { pcm } of recordings) transcripts.push(await transcribe(client, id, pcm));
  return transcripts;
}

async function transcribe(client: Client, model: string, pcm: Buffer): Promise<string> {
  const stream = client.stream({ model, maxAudioSeconds: 300 });
  await stream.send(pcm);
  const { text } = await stream.flush();
  await stream.close();
  return text;
}
