import { AUDIO } from '@svc-asr/core/stream';

/** Duration of the pieces in which the audio of a file is sent. The audio of a microphone arrives in pieces too. */
const PIECE_MS = 40;
const PIECE_SAMPLES = (AUDIO.sampleRateHz * PIECE_MS) / 1000;

/** Decodes an audio file to 16 kHz, one channel and 16 bits. Browsers decode WAV, MP3, FLAC, Ogg and more. */
export async function decodeAudioFile(file: Blob): Promise<Int16Array> {
  // The rate of the context is the rate of the decoded audio.
  const context = new OfflineAudioContext(1, 1, AUDIO.sampleRateHz);
  const decoded = await context.decodeAudioData(await file.arrayBuffer());
  return toPcm16(mixDown(decoded));
}

function mixDown(audio: AudioBuffer): Float32Array {
  const mixed = new Float32Array(audio.length);
  for (let channel = 0; channel < audio.numberOfChannels; channel++) {
    for (const [at, sample] of audio.getChannelData(channel).entries()) {
      mixed[at] = (mixed[at] ?? 0) + sample / audio.numberOfChannels;
    }
  }
  return mixed;
}

function toPcm16(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, (sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))));
}

/** Returns audio piece by piece in real time, until the audio ends or the signal is aborted. */
export async function* inRealTime(pcm: Int16Array, signal: AbortSignal): AsyncGenerator<Int16Array> {
  const startMs = performance.now();
  for (let at = 0; at < pcm.length; at += PIECE_SAMPLES) {
    const piece = pcm.slice(at, at + PIECE_SAMPLES);
    // A piece is complete when its last sample would have been spoken.
    const dueMs = startMs + ((at + piece.length) / AUDIO.sampleRateHz) * 1000;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    if (signal.aborted) return;
    yield piece;
  }
}
