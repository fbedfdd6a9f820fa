// This program reads a file from its standard input, decodes it, and writes PCM to its standard output. It runs as a
// separate process, so that the file of one client can neither delay the streams of other clients nor end the gateway.
//
// The program decodes the file twice. The first pass checks the whole file and counts its samples, because the gateway
// must reserve credit for all samples. The second pass writes the samples as fast as the gateway reads them. The memory
// use therefore does not depend on the length of the audio.
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { AUDIO } from '@svc-asr/core/stream';
import { AudioFormatError, decodeAudio, UnsupportedAudioError } from '@svc-asr/decoders';
import { buildHead, EXIT_CODES } from './decode-protocol.ts';

/** Number of bytes that are passed to the decoder at a time. */
const STEP_BYTES = 65_536;

const [maxSeconds, maxBytes] = process.argv.slice(2).map(Number);
const maxSamples = (maxSeconds ?? 0) * AUDIO.sampleRateHz;
// Streams of the gateway are more urgent than files, so this process has a lower priority.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const file = await buffer(process.stdin);
const samples = await countSamples();
if (samples !== undefined) {
  await write(buildHead(samples));
  for await (const pcm of decode()) await write(new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength));
}

/**
 * Checks the file and returns the number of its samples. If the file cannot be used, sets the exit code and returns
 * undefined.
 */
async function countSamples(): Promise<number | undefined> {
  let count = 0;
  try {
    for await (const { length } of decode()) {
      count += length;
      if (process.memoryUsage.rss() > (maxBytes ?? 0)) {
        process.exitCode = EXIT_CODES.tooMuchMemory;
        return undefined;
      }
      if (count <= maxSamples) continue;
      process.exitCode = EXIT_CODES.tooLong;
      return undefined;
    }
    return count;
  } catch (error) {
    // An unexpected error of the decoder is reported as an error of the file, because no other file is affected.
    process.stderr.write(error instanceof AudioFormatError ? error.message : 'the decoder failed');
    process.exitCode = error instanceof UnsupportedAudioError ? EXIT_CODES.unsupported : EXIT_CODES.damaged;
    return undefined;
  }
}

function decode(): AsyncGenerator<Int16Array> {
  return decodeAudio(Readable.from(steps()));
}

function* steps(): Generator<Uint8Array> {
  for (let at = 0; at < file.length; at += STEP_BYTES) yield file.subarray(at, at + STEP_BYTES);
}

async function write(bytes: Uint8Array): Promise<void> {
  if (bytes.length > 0 && !process.stdout.write(bytes)) await once(process.stdout, 'drain');
}
