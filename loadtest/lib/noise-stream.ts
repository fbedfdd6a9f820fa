import { WebSocket } from 'k6/websockets';
import { billableMs } from '../../packages/core/src/audio.ts';
import { unclearMs } from './metrics.ts';
import { sendHandshake } from './noise-requests.ts';
import type { Caller } from './plan.ts';
import { speeches } from './recordings.ts';
import type { Session } from './session.ts';
import { callAfter } from './wait.ts';

const OPEN = 1;
/** Size of the largest frame that the service accepts, and a size that is too large. */
const FRAME_BYTES = 65_536;
const OVERSIZED_BYTES = FRAME_BYTES + 2;
/** Text that is longer than the service accepts. The service closes a stream after ten such texts. */
const OVERSIZED_TEXT = 'x'.repeat(20_000);
const OVERSIZED_TEXTS = 12;
/**
 * Maximum amount of audio that k6 queues in memory. It is more than the service reads ahead, so that the service always
 * has unread audio.
 */
const MAX_QUEUED_BYTES = 1_048_576;
const POLL_MS = 5;
/** Maximum time for the service to close the stream. */
const CLOSE_WITHIN_MS = 10_000;
/** Audio after which a stream with an oversized message sends that message. */
const OVERSIZED_AFTER_BYTES = 1_920_000;
/** Number of times that the used credential of a session is sent again. */
const REPLAYS = 20;

/**
 * Sends audio faster than real time. Every third stream ends normally at `endMs`. The others end after 60 s of audio or
 * at `endMs`, with an oversized frame or oversized texts. The service may end a stream earlier. When a stream has ended
 * before `endMs`, its used credential is sent again up to REPLAYS times.
 */
export async function streamNoise(
  session: Session,
  { tenant }: Caller,
  { number, endMs }: { number: number; endMs: number },
): Promise<void> {
  const bytes = await sendAudio(new WebSocket(session.url, session.protocols), number, endMs);
  // The client cannot know how much of the audio the service has accepted.
  unclearMs.add(billableMs(bytes / 2), { tenant });
  for (let count = 0; count < REPLAYS && Date.now() < endMs; count++) sendHandshake(session);
}

/** Resolves with the number of sent bytes when the stream has ended. */
function sendAudio(socket: WebSocket, number: number, endMs: number): Promise<number> {
  const pcm = speeches[0]?.pcm ?? new ArrayBuffer(FRAME_BYTES);
  let sentBytes = 0;
  let frame = 0;
  const isOver = () => Date.now() >= endMs || (isOversized(number) && sentBytes >= OVERSIZED_AFTER_BYTES);
  const send = () => {
    while (socket.readyState === OPEN && !isOver() && socket.bufferedAmount < MAX_QUEUED_BYTES) {
      const from = (frame * FRAME_BYTES) % pcm.byteLength;
      const piece = pcm.slice(from, from + FRAME_BYTES);
      socket.send(piece);
      sentBytes += piece.byteLength;
      frame++;
    }
    if (socket.readyState !== OPEN) return;
    if (isOver()) endStream(socket, number);
    else setTimeout(send, POLL_MS);
  };
  return new Promise((resolve) => {
    let cancel = (): void => undefined;
    socket.onmessage = ({ data }) => {
      if ((JSON.parse(data) as { type: string }).type === 'ready') send();
    };
    socket.onerror = () => undefined;
    socket.onclose = () => {
      cancel();
      resolve(sentBytes);
    };
    cancel = callAfter(Math.max(0, endMs - Date.now()) + CLOSE_WITHIN_MS, () => socket.close());
  });
}

const isOversized = (number: number) => number % 3 !== 2;

function endStream(socket: WebSocket, number: number): void {
  if (!isOversized(number)) socket.close(1000);
  else if (number % 3 === 0) socket.send(new ArrayBuffer(OVERSIZED_BYTES));
  else for (let count = 0; count < OVERSIZED_TEXTS; count++) socket.send(OVERSIZED_TEXT);
}
