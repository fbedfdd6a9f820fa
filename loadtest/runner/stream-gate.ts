import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Interval at which the slots that the workers declare are read. */
const READ_MS = 500;

/** Lowest and highest number of declared slots during a run. */
export interface SlotRange {
  readonly least: number;
  readonly most: number;
}

/** Limits of the number of streams. */
export interface GateLimits {
  /** Share of the declared slots that streams may use. */
  readonly loadPercent: number;
  /** Maximum number of streams, whatever the declared slots. */
  readonly maxStreams: number;
}

/** Limits the number of streams of k6 to the slots that the workers declare at the moment. */
export interface StreamGate {
  readonly url: string;
  readonly range: SlotRange;
  /** Number of streams at this moment. */
  readonly streams: number;
  close: () => void;
}

/**
 * Starts a gate for the virtual users of k6, which share no state. `POST /start` returns 200 if another stream may
 * start and 409 otherwise. `POST /continue` returns 200 if a stream may send another utterance. If `POST /continue`
 * returns 409, the stream no longer counts and must end. Every other stream must call `POST /end` when it ends.
 */
export async function openStreamGate(
  declaredSlots: number,
  { loadPercent, maxStreams }: GateLimits,
  readSlots: () => Promise<number>,
): Promise<StreamGate> {
  let [slots, streams] = [declaredSlots, 0];
  let range: SlotRange = { least: slots, most: slots };
  const read = async () => {
    try {
      slots = await readSlots();
      range = { least: Math.min(range.least, slots), most: Math.max(range.most, slots) };
    } catch {
      // If the operator does not answer, the last known number of slots still applies.
    }
  };
  const timer = setInterval(() => void read(), READ_MS);
  const server = createServer((request, response) => {
    const most = Math.max(1, Math.min(maxStreams, Math.floor((slots * loadPercent) / 100)));
    const { url } = request;
    const isRefused = url === '/start' ? streams >= most : url === '/continue' && streams > most;
    if (url === '/start' && !isRefused) streams++;
    else if (url === '/end' || (url === '/continue' && isRefused)) streams--;
    response.writeHead(isRefused ? 409 : 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get range() {
      return range;
    },
    get streams() {
      return streams;
    },
    close: () => {
      clearInterval(timer);
      server.close();
      server.closeAllConnections();
    },
  };
}
