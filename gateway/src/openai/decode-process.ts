// Converts a WAV file on its standard input to PCM on its standard output. It runs in a separate process, so that the
// file of a client can neither delay the streams of others nor end the gateway.
import { AudioFormatError, createWavConverter } from '@svc-asr/client';

const converter = createWavConverter();
try {
  for await (const chunk of process.stdin) write(converter.push(chunk as Buffer));
  write(converter.end().pcm);
} catch (error) {
  if (!(error instanceof AudioFormatError)) throw error;
  process.stderr.write(error.message);
  process.exitCode = converter.layout() === undefined ? 2 : 3;
}

function write(pcm: Int16Array): void {
  if (pcm.length > 0) process.stdout.write(new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength));
}
