/** Audio from the caller: PCM16 samples, or their bytes in little-endian order. */
export type PcmAudio = Int16Array | Uint8Array | ArrayBuffer;

/** Copies audio to bytes in the format of the stream. The caller may reuse its buffer at once. */
export function bytesOf(pcm: PcmAudio): Uint8Array<ArrayBuffer> {
  if (pcm instanceof Int16Array) return littleEndian(pcm);
  if (pcm instanceof ArrayBuffer) return new Uint8Array(pcm.slice(0));
  if (pcm instanceof Uint8Array) return new Uint8Array(pcm);
  throw new TypeError('audio must be an Int16Array, a Uint8Array or an ArrayBuffer of PCM16 samples');
}

/** Converts sample by sample, because the byte order of an Int16Array depends on the machine. */
function littleEndian(samples: Int16Array): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(samples.length * 2));
  samples.forEach((sample, at) => view.setInt16(at * 2, sample, true));
  return new Uint8Array(view.buffer);
}

export interface Framer {
  /** Returns frames of whole samples. Half a sample at the end is kept for the next call. */
  cut: (bytes: Uint8Array<ArrayBuffer>, maxFrameBytes: number) => Uint8Array<ArrayBuffer>[];
  /** Drops half a sample that `cut` has kept. Call it at the end of an utterance. */
  drop: () => void;
}

/** Creates a framer, which divides audio into frames. */
export function createFramer(): Framer {
  let half: number | undefined;
  return {
    cut: (bytes, maxFrameBytes) => {
      const all = half === undefined ? bytes : joined(half, bytes);
      const even = all.length - (all.length % 2);
      half = all.length === even ? undefined : all[even];
      // A frame has at least one sample, because the loop below would never end with a step of 0.
      const step = Math.max(2, maxFrameBytes - (maxFrameBytes % 2));
      const frames: Uint8Array<ArrayBuffer>[] = [];
      for (let at = 0; at < even; at += step) frames.push(all.subarray(at, Math.min(at + step, even)));
      return frames;
    },
    drop: () => (half = undefined),
  };
}

function joined(first: number, rest: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(rest.length + 1);
  all[0] = first;
  all.set(rest, 1);
  return all;
}
