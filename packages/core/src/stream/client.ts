import Type from 'typebox';
import type { Static } from 'typebox';
import { ContextSize } from './context.ts';
import { Endpointing } from './endpointing.ts';
import { Phrases } from './phrases.ts';

// Fields that are not listed are ignored, so that a client may be newer than the server.

export const ConfigMessage = Type.Object(
  {
    type: Type.Literal('config'),
    language: Type.Optional(
      Type.String({ description: 'The `language_code` of the model. Nothing else is accepted.', examples: ['ki'] }),
    ),
    context: Type.Optional(
      ContextSize(
        'One of the contexts that the model supports, as `[left, right]`. A smaller right context lowers the latency and costs accuracy.',
      ),
    ),
    endpointing: Type.Optional(Endpointing('Ends utterances at pauses. Off if absent.')),
    phrases: Type.Optional(
      Phrases('Words and phrases that the search prefers. Only models of the type CTC support them.'),
    ),
  },
  {
    description:
      'Chooses how the utterance and the next ones are recognized. It replaces the whole configuration: absent fields take their defaults, as without this message. Allowed while no audio of the utterance has been accepted. Answered by `config_ack` (after `ready` when it came before).',
  },
);
export type ConfigMessage = Static<typeof ConfigMessage>;

export const FlushMessage = Type.Object(
  { type: Type.Literal('flush') },
  {
    description:
      'Finalizes what is buffered. Always answered by exactly one `final`, with empty text where nothing was said. Audio after it belongs to the next utterance.',
  },
);
export type FlushMessage = Static<typeof FlushMessage>;

export const ResetMessage = Type.Object(
  { type: Type.Literal('reset') },
  {
    description:
      'Drops the utterance without a `final` and starts a fresh one. Answered by `reset_ack`. Audio that was accepted stays charged.',
  },
);
export type ResetMessage = Static<typeof ResetMessage>;

export const KeepaliveMessage = Type.Object(
  { type: Type.Literal('keepalive') },
  {
    description:
      'Restarts the idle timeout of a client that has no audio to send. It is free of charge and not answered. Before `ready` it is ignored.',
  },
);
export type KeepaliveMessage = Static<typeof KeepaliveMessage>;

/** Text messages that a client may send, by `type`. Audio is binary. */
export const CLIENT_MESSAGES = {
  config: ConfigMessage,
  flush: FlushMessage,
  reset: ResetMessage,
  keepalive: KeepaliveMessage,
} as const;

export type ClientMessage = ConfigMessage | FlushMessage | ResetMessage | KeepaliveMessage;
