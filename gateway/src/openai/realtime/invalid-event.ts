/** Code of the `error` event that answers an invalid event of a client. */
export type InvalidEventCode =
  | 'invalid_json'
  | 'invalid_event'
  | 'invalid_value'
  | 'invalid_audio'
  | 'unknown_event'
  | 'model_not_changeable'
  | 'input_audio_buffer_commit_empty'
  | 'rate_limited';

/**
 * Thrown if the gateway refuses an event of a client. The connection stays open until the client has sent too many
 * invalid events.
 */
export class InvalidEvent extends Error {
  override readonly name = 'InvalidEvent';
  readonly code: InvalidEventCode;
  /** Name of the invalid field of the event. */
  readonly param: string | undefined;

  constructor(code: InvalidEventCode, message: string, param?: string) {
    super(message);
    this.code = code;
    this.param = param;
  }
}
