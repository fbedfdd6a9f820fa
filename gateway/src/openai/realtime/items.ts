import type { FinalMessage, ServerMessage } from '@svc-asr/core';
import { createId } from './server-events.ts';
import type { ServerEvent } from './server-events.ts';

/** An item of the conversation: one utterance of the client. */
class Item {
  readonly id = createId('item');
  /** Text of the deltas so far. */
  text = '';
  hasSpeech = false;
  isAnnounced = false;
}

/**
 * Translates the events of streams to those of OpenAI. The answers of a stream arrive in the order of the audio. So they
 * are about the oldest item without a transcript.
 */
export class Items {
  /** Commits of the client without a transcript, oldest first. */
  readonly #commits: { item: Item | undefined }[] = [];
  /** Item that the stream is answering, unless a commit has one. */
  #current: Item | undefined;
  #previousId: string | null = null;

  /**
   * Commits the buffered audio. If turns are not detected, the event `committed` is returned at once. Otherwise the
   * service may still find the end of a turn before the commit, and the event follows with the transcript.
   */
  commit(isTurnDetected: boolean): ServerEvent[] {
    if (isTurnDetected) {
      this.#commits.push({ item: undefined });
      return [];
    }
    const item = this.#commits.length === 0 ? this.#takeCurrent() : new Item();
    this.#commits.push({ item });
    return this.#announce(item);
  }

  /** Returns the events for a message of a stream whose audio starts at `offsetMs`. */
  translate(message: ServerMessage, offsetMs: number): ServerEvent[] {
    switch (message.type) {
      case 'speech_started': {
        const { id } = this.#head(true);
        return [
          { type: 'input_audio_buffer.speech_started', audio_start_ms: offsetMs + message.audio_start_ms, item_id: id },
        ];
      }
      case 'delta':
        return this.#extend(this.#head(false), message.text);
      case 'speech_ended': {
        const { id } = this.#head(true);
        return [
          { type: 'input_audio_buffer.speech_stopped', audio_end_ms: offsetMs + message.audio_end_ms, item_id: id },
        ];
      }
      case 'final':
        return this.#complete(message);
      case 'reset_ack':
        this.#current = undefined;
        return [{ type: 'input_audio_buffer.cleared' }];
      case 'status':
      case 'ready':
      case 'config_ack':
      case 'error':
        return [];
    }
  }

  #head(hasSpeech: boolean): Item {
    const item = this.#commits[0]?.item ?? (this.#current ??= new Item());
    item.hasSpeech ||= hasSpeech;
    return item;
  }

  #takeCurrent(): Item {
    const item = this.#current ?? new Item();
    this.#current = undefined;
    return item;
  }

  /** A delta adds to the ones before. If the text changed otherwise, the transcript corrects it. */
  #extend(item: Item, text: string): ServerEvent[] {
    if (text.length <= item.text.length || !text.startsWith(item.text)) return [];
    const delta = text.slice(item.text.length);
    item.text = text;
    return [{ type: 'conversation.item.input_audio_transcription.delta', item_id: item.id, content_index: 0, delta }];
  }

  #announce(item: Item): ServerEvent[] {
    if (item.isAnnounced) return [];
    item.isAnnounced = true;
    const previous = this.#previousId;
    this.#previousId = item.id;
    return [{ type: 'input_audio_buffer.committed', item_id: item.id, previous_item_id: previous }];
  }

  #complete({ text, audio_start_ms: startMs, audio_end_ms: endMs, endpoint }: FinalMessage): ServerEvent[] {
    const commit = endpoint === true ? undefined : this.#commits.shift();
    const item = commit?.item ?? this.#takeCurrent();
    // The service has ended an utterance in which nothing was said.
    if (commit === undefined && text === '' && !item.hasSpeech) return [];
    return [
      ...this.#announce(item),
      ...this.#extend(item, text),
      {
        type: 'conversation.item.input_audio_transcription.completed',
        item_id: item.id,
        content_index: 0,
        transcript: text,
        usage: { type: 'duration', seconds: (endMs - startMs) / 1000 },
      },
    ];
  }
}
