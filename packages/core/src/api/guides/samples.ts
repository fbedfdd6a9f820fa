import type { CodeSample } from '../document.ts';
import { EXAMPLE_MODEL } from '../examples.ts';

const shell = (source: string): CodeSample => ({ lang: 'shell', label: 'curl', source });
const node = (source: string): CodeSample => ({ lang: 'javascript', label: 'Node', source });

export function modelsSamples(publicUrl: string): CodeSample[] {
  return [
    shell(`curl ${publicUrl}/v1/models`),
    node(`const { data } = await (await fetch('${publicUrl}/v1/models')).json();
console.log(data.map((model) => model.id));`),
  ];
}

export function usageSamples(publicUrl: string): CodeSample[] {
  return [
    shell(`curl ${publicUrl}/v1/usage \\
  -H "Authorization: Bearer $SVC_ASR_API_KEY"`),
    node(`const answer = await fetch('${publicUrl}/v1/usage', {
  headers: { authorization: \`Bearer \${process.env.SVC_ASR_API_KEY}\` },
});
const { available_ms } = await answer.json();
console.log(\`\${Math.floor(available_ms / 1000)} seconds left\`);`),
  ];
}

/** Creates a session from a shell. */
export function createSessionCommand(publicUrl: string): string {
  return `curl ${publicUrl}/v1/asr/sessions \\
  -H "Authorization: Bearer $SVC_ASR_API_KEY" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: $(uuidgen)" \\
  -d '{"model": "${EXAMPLE_MODEL}", "max_audio_seconds": 120}'`;
}

export function sessionsSamples(publicUrl: string): CodeSample[] {
  return [
    shell(createSessionCommand(publicUrl)),
    node(`import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

// Runs on your server: the API key never leaves it.
export async function createSession(model, maxAudioSeconds) {
  const idempotencyKey = randomUUID(); // one for each session, the same for its retries
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch('${publicUrl}/v1/asr/sessions', {
      method: 'POST',
      headers: {
        authorization: \`Bearer \${process.env.SVC_ASR_API_KEY}\`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify({ model, max_audio_seconds: maxAudioSeconds }),
    });
    const body = await answer.json();
    if (answer.ok) return body; // holds a secret: relay it, do not log it

    const retryable = answer.status === 429 || answer.status === 503;
    if (!retryable || attempt === 4) throw new Error(\`\${body.error.code} (\${body.error.request_id})\`);
    const retryAfterS = Number(answer.headers.get('retry-after'));
    await sleep(1000 * Math.max(retryAfterS, 2 ** attempt * Math.random()));
  }
}`),
  ];
}
