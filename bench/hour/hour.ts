import type { Service } from '../../test/support/service.ts';

/** The audio, and the service that transcribes it. */
export interface Hour {
  readonly service: Service;
  readonly folder: string;
  /** WAV file with the audio. */
  readonly file: string;
  readonly seconds: number;
  readonly caFile: string;
}
