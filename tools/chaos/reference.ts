import { MODEL } from '../../test/support/gateway.ts';
import { recordings } from '../../test/support/recording.ts';
import type { Recording } from '../../test/support/recording.ts';
import { openStream } from '../../test/support/stream-client.ts';
import type { SessionBody } from '../../test/support/stream-client.ts';
import type { ChaosTenant } from './tenants.ts';

const ANSWER_TIMEOUT_MS = 60_000;

/** Returns the recordings with the texts that the service returns while there are no faults. */
export async function readReference(gatewayUrl: string, { key }: ChaosTenant): Promise<Recording[]> {
  const response = await fetch(`${gatewayUrl}/v1/asr/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, max_audio_seconds: 300 }),
  });
  if (response.status !== 201) throw new Error(`no session: ${response.status} ${await response.text()}`);
  const stream = await openStream((await response.json()) as SessionBody);
  await stream.next('ready', ANSWER_TIMEOUT_MS);
  const found: Recording[] = [];
  for (const { pcm } of recordings(MODEL)) {
    stream.audio(pcm);
    stream.send({ type: 'flush' });
    found.push({ pcm, text: (await stream.next('final', ANSWER_TIMEOUT_MS)).text });
  }
  stream.close();
  await stream.closed;
  return found;
}
