// create-session.mjs
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

// Runs on your server, so that clients do not get the API key.
export async function createSession(model, maxAudioSeconds) {
  const idempotencyKey = randomUUID(); // a new one for each session, the same one for its retries
  for (let attempt = 0; ; attempt++) {
    const response = await fetch('https://asr.example.com/v1/asr/sessions', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${process.env.SVC_ASR_API_KEY}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify({ model, max_audio_seconds: maxAudioSeconds }),
    });
    const body = await response.json();
    if (response.ok) return body; // contains a secret: relay it, do not log it

    const retryable = response.status === 429 || response.status === 503;
    if (!retryable || attempt === 4) throw new Error(`${body.error.code} (${body.error.request_id})`);
    const retryAfterS = Number(response.headers.get('retry-after'));
    await sleep(1000 * Math.max(retryAfterS, 2 ** attempt * Math.random()));
  }
}
