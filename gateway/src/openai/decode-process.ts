// Decodes the file on its standard input to PCM on its standard output. It runs in a separate process, so that the file
// of a client can neither delay the streams of others nor end the gateway.
//
// It decodes twice. The first time checks the whole file and counts its samples, because the gateway reserves credit for
// all of them. The second time writes them as fast as the gateway reads. So the memory does not depend on the length.
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { AudioFormatError, createWavConverter } from '@svc-asr/client';
import { AUDIO } from '@svc-asr/core';
import { EXIT_CODES, buildHead } from './decode-protocol.ts';

/** Bytes that are decoded at a time. */
const STEP_BYTES = 65_536;

const maxSamples = Number(process.argv[2]) * AUDIO.sampleRateHz;
const file = await buffer(process.stdin);
const samples = countSamples();
if (samples !== undefined) {
  await write(buildHead(samples));
  for (const pcm of decode()) await write(new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength));
}

/** Checks the file. Returns undefined, with an exit code, if it cannot be used. */
function countSamples(): number | undefined {
  let count = 0;
  try {
    for (const { length } of decode()) {
      count += length;
      if (count > maxSamples) {
        process.exitCode = EXIT_CODES.tooLong;
        return undefined;
      }
    }
  } catch (error) {
    if (!(error instanceof AudioFormatError)) throw error;
    process.stderr.write(error.message);
    process.exitCode = count === 0 ? EXIT_CODES.unsupported : EXIT_CODES.damaged;
    return undefined;
  }
  return count;
}

/** Decodes the file, piece by piece. */
function* decode(): Generator<Int16Array> {
  const converter = createWavConverter();
  for (let at = 0; at < file.length; at += STEP_BYTES) yield converter.push(file.subarray(at, at + STEP_BYTES));
  yield converter.end().pcm;
}

async function write(bytes: Uint8Array): Promise<void> {
  if (bytes.length > 0 && !process.stdout.write(bytes)) await once(process.stdout, 'drain');
}
