/** Cause of a failure of the microphone. */
export type MicrophoneFailure =
  | 'insecure_page'
  | 'permission_denied'
  | 'no_device'
  | 'device_unavailable'
  | 'worklet_refused'
  | 'suspended'
  | 'device_lost'
  | 'buffer_full';

/** Thrown if the microphone cannot be used. `code` identifies the cause, and the message describes it. */
export class MicrophoneError extends Error {
  override readonly name = 'MicrophoneError';
  readonly code: MicrophoneFailure;

  constructor(code: MicrophoneFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Errors of `getUserMedia` by name. Errors with other names are errors in the call, such as invalid constraints. */
const REFUSALS: Partial<Record<string, [MicrophoneFailure, string]>> = {
  NotAllowedError: [
    'permission_denied',
    'the user or the Permissions-Policy of the page refused the microphone; ask the user to allow it in the settings of the page',
  ],
  NotFoundError: ['no_device', 'there is no microphone; connect one'],
  OverconstrainedError: ['no_device', 'no microphone meets the constraints; relax them or connect another one'],
  NotReadableError: ['device_unavailable', 'the microphone cannot be read; close other programs that use it'],
};

/** Returns the error to throw for an error of `getUserMedia`. */
export function refusalOfDevice(error: unknown): unknown {
  const [code, message] = REFUSALS[(error as Error).name] ?? [];
  return code === undefined ? error : new MicrophoneError(code, message ?? '', error);
}
