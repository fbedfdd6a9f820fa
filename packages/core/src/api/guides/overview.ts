import { createSessionCommand } from './samples.ts';

/** What an integrating developer reads before the reference; CommonMark, one section for each `##`. */
export function overview(publicUrl: string): string {
  return `${INTRODUCTION}\n${quickStart(publicUrl)}\n${GUIDE}`;
}

const INTRODUCTION = `Streaming speech recognition for African languages. Your server creates a session over HTTP; whoever holds the session streams audio over a WebSocket and gets the transcript while the speaker still talks.

## How it works

1. **Your server** calls \`POST /v1/asr/sessions\` with its API key. This reserves audio credit and returns a WebSocket address with a credential that works once, within 60 seconds.
2. **Your client** (browser, app, or the server itself) opens the WebSocket with the two returned subprotocols, waits for \`ready\`, sends PCM audio as binary frames and reads JSON events: \`delta\` while text evolves, \`final\` after \`flush\`.
3. **The service** meters the audio it accepted and returns the credit that was reserved and not used.

The service keeps usage metadata. It stores neither audio nor transcripts.
`;

function quickStart(publicUrl: string): string {
  return `## Quick start

1. **Get a key.** Whoever runs the service makes your account and gives you a key, which is shown once.
2. **Choose a model.** No key is needed for this.

\`\`\`shell
curl ${publicUrl}/v1/models
\`\`\`

3. **Create a session** on your server.

\`\`\`shell
export SVC_ASR_API_KEY=svc_live_v1_...
${createSessionCommand(publicUrl)}
\`\`\`

4. **Stream.** Hand the answer to your client, which opens \`websocket_url\` and sends audio: copy the [browser or Node example](#stream). Audio in another form is converted first, for example with \`ffmpeg\`.
5. **Look at the bill.** \`GET /v1/usage\` lists the session with the audio that was accepted and charged.
`;
}

const GUIDE = `## Authentication

| endpoint | credential |
|---|---|
| \`GET /v1/models\` | none |
| \`POST /v1/asr/sessions\`, \`GET /v1/usage\` | \`Authorization: Bearer <API_KEY>\` |
| WebSocket | second value of \`websocket_protocols\`, one use, 60 seconds |

An API key begins with \`svc_live_v1_\`. It is shown once, when it is created. Whoever holds it can spend the credit of the account: keep it in the secret manager of your server, never in a browser, a mobile or a desktop application. Routes that take a key answer no cross-origin requests, so that this mistake shows at once.

The session response is a secret too. Relay it to your client over TLS and log neither it nor its credential. A leaked session costs at most its reservation; a leaked key costs the account.

## Idempotency

Send an \`Idempotency-Key\` with every \`POST /v1/asr/sessions\`. Where the answer is lost, send the same request with the same key again: until the session expires you get the same session, credential included, and nothing is reserved twice. Parallel duplicates make one session.

- Keys belong to your account. Use a new UUID for each session that you want.
- The body counts with its defaults filled in: \`{"model": "m"}\` equals \`{"model": "m", "max_audio_seconds": 60}\`.
- The same key with another body is refused with 409 \`idempotency_conflict\`.
- Errors are not remembered: a request that was refused may be sent again with its key.

## Retries

| answer | what to do |
|---|---|
| 429, 503 | Wait \`Retry-After\` seconds, then retry with exponential backoff, jitter and the same \`Idempotency-Key\`. |
| no answer, timeout | Retry at once with the same \`Idempotency-Key\`, then back off. |
| 400, 404, 409, 413, 415 | Do not retry. Fix the request; the message says what is wrong. |
| 401, 402, 403 | Do not retry. A person has to act: key, credit or account. |
| the stream closed | The close code decides; see [Closing](#closing). |

A refused request leaves nothing reserved.

## Billing

Credit is audio time. The unit is the second; balances are in milliseconds.

- Creating a session reserves \`max_audio_seconds\`, or what is left where that is less (at least one second, else 402). \`credits.reserved\` and \`audio.max_audio_seconds\` in the answer are what holds.
- While you stream, accepted samples are counted, not text: silence costs what speech costs. Frames that are refused are not counted.
- When the session ends, accepted audio is rounded up to the next whole second and charged, never more than was reserved. The rest is returned at once.
- A session that nobody connects to expires after 60 seconds and costs nothing.
- Failures of the service cost nothing, however much audio was sent.

| state | meaning | charged |
|---|---|---|
| \`reserved\` | created, nobody connected yet | nothing; credit is held |
| \`active\` | the stream is open | nothing yet; credit is held |
| \`completed\` | the stream ended: closed, silent, out of audio or time | accepted audio, rounded up to the second |
| \`failed\` | the service was at fault | 0, all returned |
| \`expired\` | no connection within 60 seconds | 0, all returned |

## Limits

| limit | value |
|---|---|
| Request body | 16 KiB (16,384 bytes) |
| \`max_audio_seconds\` | 1 to 300, default 60 |
| Smallest reservation | 1 second |
| \`Idempotency-Key\` | 1 to 128 characters of \`A-Z a-z 0-9 . _ : -\` |
| Concurrent sessions | 1 reserved or active session for each account, unless more was granted |
| Rates | requests and new sessions per minute; see the headers \`RateLimit-Policy\` and \`RateLimit\` |
| Failed authentication | 100 a second for each address |
| \`recent_sessions\` | the 20 newest |

## Versions

The path carries the major version (\`/v1\`), the stream its own (\`svc.realtime.v1\`). Within a version fields, error codes and event types may be added and nothing is taken away: ignore what you do not know.
`;
