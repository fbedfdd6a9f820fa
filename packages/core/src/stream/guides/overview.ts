import { AUDIO, chunkSamples } from '../../audio.ts';
import { CLOSE_CODES, CLOSE_REASONS } from '../close.ts';
import { STREAM_ERRORS } from '../errors.ts';
import type { StreamError } from '../errors.ts';
import { STREAM_LIMITS, STREAM_SUBPROTOCOL } from '../limits.ts';

const grouped = (count: number): string => count.toLocaleString('en-US');

/** What an integrating developer reads about the stream; CommonMark, one section for each `##`. */
export function streamOverview(): string {
  return [INTRODUCTION, CONNECTING, AUDIO_GUIDE, UTTERANCES, errors(), closing(), limits()].join('\n');
}

const INTRODUCTION = `One WebSocket carries one session: audio in as binary frames, events out as JSON text.
`;

const CONNECTING = `## Connecting

1. Open \`websocket_url\` and offer both values of \`websocket_protocols\` as subprotocols, in their order. The server chooses \`${STREAM_SUBPROTOCOL}\`.
2. Wait for \`ready\`. Before it \`status\` events say what the session waits for: a pool that grows can take up to ${STREAM_LIMITS.maxWaitSeconds} seconds.
3. Send audio. Audio before \`ready\` ends the stream.

The credential works for one handshake and for ${STREAM_LIMITS.credentialSeconds} seconds. Only a handshake that succeeds uses it up. A wrong, used or expired one is refused with HTTP 401, a suspended account with 403, a server that is going away with 503. A browser shows each of these as close code 1006 before \`open\`.

A stream cannot be resumed. When it ends early, create a new session and go on with the audio after the last \`final\`.
`;

const AUDIO_GUIDE = `## Audio

Raw PCM, signed 16 bit, little endian, ${grouped(AUDIO.sampleRateHz)} Hz, one channel, without any header. Convert everything else first, for example with \`ffmpeg -i talk.mp3 -f s16le -ac 1 -ar 16000 -\`.

- A binary frame holds whole samples (an even number of bytes), at most ${grouped(AUDIO.maxFrameBytes)} bytes. 100 ms, 3,200 bytes, is a good size for a microphone.
- How the audio is cut into frames does not change the transcript.
- Faster than real time is allowed. The server slows a sender down through TCP, so watch the buffered amount of your socket and do not queue a whole file.
- With the default context \`[${AUDIO.defaultContext.join(', ')}]\` the model works in chunks of ${grouped(chunkSamples(AUDIO.defaultContext[1]))} samples (1.12 s). A smaller right context, \`{"type": "config", "context": [56, 3]}\`, gives shorter chunks where the model supports it.
`;

const UTTERANCES = `## Utterances

Audio belongs to an utterance until \`flush\` or \`reset\`. The first is number 1.

- \`delta\` carries the whole transcript of the utterance so far. Replace what you show; do not append.
- \`flush\` finalizes: exactly one \`final\` follows, also where nothing was said. Send it when the speaker stops, and wait for the \`final\` before you close.
- \`reset\` drops the utterance: no \`final\`, then \`reset_ack\`. Its audio stays charged.
- \`config\` is allowed while no audio of the utterance has been accepted: at the start, and after \`flush\` or \`reset\`.
- Times are milliseconds of accepted audio from the start of the stream, over all utterances.
`;

function errors(): string {
  const rows = Object.entries<StreamError>(STREAM_ERRORS).map(([code, { close, message, counts }]) => {
    const effect = close !== undefined ? `close ${close}` : counts ? 'goes on; the 10th: close 4400' : 'goes on';
    return `| \`${code}\` | ${effect} | ${message} |`;
  });
  return `## Stream errors

An \`error\` event has a stable \`code\`, a \`message\` for a person and \`fatal\`. After a fatal one the server closes, with the code of the error as close reason; otherwise the stream goes on.

| code | the stream | meaning |
|---|---|---|
${rows.join('\n')}
`;
}

function closing(): string {
  const advice = { never: 'no', 'new-session': 'new session', 'after-wait': 'new session, after a wait' } as const;
  const codes = Object.entries(CLOSE_CODES).map(
    ([code, { meaning, charged, retry, action }]) =>
      `| ${code} | ${meaning} | ${charged ? 'accepted audio' : 'nothing'} | ${advice[retry]} | ${action} |`,
  );
  const reasons = Object.entries(CLOSE_REASONS).map(([reason, meaning]) => `- \`${reason}\`: ${meaning}`);
  return `## Closing

To end a session send \`flush\`, wait for \`final\`, then close with 1000. Closing at once is allowed too and loses what was not finalized.

| code | meaning | charged | retry | what to do |
|---|---|---|---|---|
${codes.join('\n')}

1006 is never sent: it is what a WebSocket library reports when the connection broke without a close. Treat it as 1011.

Close reasons besides the codes of errors:

${reasons.join('\n')}
`;
}

function limits(): string {
  return `## Stream limits

| limit | value | when it is exceeded |
|---|---|---|
| Binary frame | ${grouped(STREAM_LIMITS.maxFrameBytes)} bytes | \`frame_too_large\`, close 1009 |
| Text message | ${grouped(STREAM_LIMITS.maxMessageBytes)} bytes | \`invalid_message\`; beyond ${grouped(STREAM_LIMITS.maxPayloadBytes)} bytes \`frame_too_large\`, close 1009: so much is not even read |
| Invalid messages | ${STREAM_LIMITS.maxInvalidMessages} | close 4400 |
| Audio of a session | what was reserved, at most 300 s | accepted to the exact limit, then \`final\` and close 1000 \`audio_limit_reached\` |
| Life of a stream | reserved audio and ${STREAM_LIMITS.extraSeconds} s from \`ready\` | \`final\`, close 1000 \`session_time_limit\` |
| Silence of the client | ${STREAM_LIMITS.idleSeconds} s without any message | \`idle_timeout\`, close 4408 |
| Ping | every ${STREAM_LIMITS.pingSeconds} s; WebSocket libraries answer by themselves | ${STREAM_LIMITS.maxMissedPings} missed: the connection is dropped |
| Wait for capacity | ${STREAM_LIMITS.maxWaitSeconds} s | \`no_capacity\`, close 4503 |
`;
}
