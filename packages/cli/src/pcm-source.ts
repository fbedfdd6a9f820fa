/** Audio that a command sends. */
export interface PcmSource {
  /** Total number of samples. Undefined if it is unknown before the end. */
  totalSamples: number | undefined;
  /** PCM16 at 16,000 Hz. */
  chunks: AsyncIterable<Int16Array>;
  /** Ends `chunks` soon and without an error. */
  stop: () => void;
  isStopped: () => boolean;
}
