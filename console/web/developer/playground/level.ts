/** Levels below this are shown as silence. */
const FLOOR_DB = -60;

/** Returns the level of PCM16 audio on a logarithmic scale: 0 at -60 dB and below, 1 at full scale. */
export function levelOf(pcm: Int16Array): number {
  let sum = 0;
  for (const sample of pcm) sum += sample * sample;
  const rms = Math.sqrt(sum / Math.max(1, pcm.length)) / 32_768;
  const db = rms === 0 ? FLOOR_DB : 20 * Math.log10(rms);
  return Math.min(1, Math.max(0, 1 - db / FLOOR_DB));
}
