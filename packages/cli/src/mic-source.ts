import { openProgram } from './pcm-program.ts';
import type { PcmSource } from './pcm-source.ts';
import type { Recorder } from './recorder.ts';

/** Returns the audio of a microphone. It is recorded from the first read of `chunks` until `stop`. */
export function openMic({ name, args }: Recorder, env: NodeJS.ProcessEnv): PcmSource {
  return openProgram({ name, args, env, failure: `${name} could not record` });
}
