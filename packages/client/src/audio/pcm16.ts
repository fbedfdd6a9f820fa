/** Converts samples in [-1, 1] to 16-bit PCM. Louder samples are clipped. */
export function toPcm16(samples: Float32Array): Int16Array {
  const pcm = new Int16Array(samples.length);
  for (let at = 0; at < pcm.length; at++) {
    pcm[at] = Math.max(-32_768, Math.min(32_767, Math.round((samples[at] ?? 0) * 32_768)));
  }
  return pcm;
}
