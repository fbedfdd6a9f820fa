/** Audio that a command sends. */
export interface PcmSource {
  /** How many samples there are in all; undefined: it is not known before the end. */
  totalSamples: number | undefined;
  /** PCM16 at 16,000 Hz. */
  chunks: AsyncIterable<Int16Array>;
  /** No more is wanted: `chunks` ends soon, without an error. */
  stop: () => void;
  isStopped: () => boolean;
}
