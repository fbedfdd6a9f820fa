import type { FinalMessage, ServerMessage } from '@svc-asr/core';
import type { EndedBy } from './ends.ts';
import { createId } from './server-events.ts';
import type { ServerEvent } from './server-events.ts';

/** An item of the conversation. Each item is one utterance of the client. */
class Item {
  readonly id = createId('item');
  /** Text of all deltas that were sent for the item. */
  text = '';
  hasSpeech = false;
  isAnnounced = false;
}

/**
 * Translates messages of streams to events of OpenAI's Realtime API. A stream answers utterances in the order of their
 * audio. Its messages are therefore about the oldest item without a transcript.
 */
export class Items {
  /**
   * Commits and clears of the client that the stream has not answered, oldest first. The item for the audio of a commit
   * or clear is created when it is needed.
   */
  readonly #ends: { item: Item | undefined }[] = [];
  /** Item of the audio after the last commit or clear. */
  #current: Item | undefined;
  #previousId: string | null = null;

  /**
   * Commits the buffered audio. If turns are not detected, the event `committed` is returned at once. Otherwise the
   * service may still find the end of a turn before the commit, so the event is sent with the transcript. `isCurrent`
   * is false if the service ends an utterance before this commit. The commit is then about the audio after that
   * utterance.
   */
  commit(isTurnDetected: boolean, isCurrent: boolean): ServerEvent[] {
    const end = this.#addEnd(isCurrent);
    return isTurnDetected ? [] : this.#announce((end.item ??= new Item()));
  }

  /**
   * Clears the buffered audio. Events about this audio, up to the event `cleared`, refer to its item. Later audio gets
   * another item.
   */
  clear(isCurrent: boolean): void {
    this.#addEnd(isCurrent);
  }

  /**
   * Returns the events for a message of a stream. `offsetMs` is the position at which the audio of the stream starts.
   */
  translate(message: ServerMessage, offsetMs: number, endedBy: EndedBy): ServerEvent[] {
    switch (message.type) {
      case 'speech_started': {
        const { id } = this.#find(endedBy, true);
        return [
          { type: 'input_audio_buffer.speech_started', audio_start_ms: offsetMs + message.audio_start_ms, item_id: id },
        ];
      }
      case 'delta':
        return this.#extend(this.#find(endedBy, false), message.text);
      case 'speech_ended': {
        const { id } = this.#find(endedBy, true);
        return [
          { type: 'input_audio_buffer.speech_stopped', audio_end_ms: offsetMs + message.audio_end_ms, item_id: id },
        ];
      }
      case 'final':
        return this.#complete(message, endedBy);
      case 'reset_ack':
        this.#ends.shift();
        return [{ type: 'input_audio_buffer.cleared' }];
      case 'status':
      case 'ready':
      case 'config_ack':
      case 'error':
        return [];
    }
  }

  #addEnd(isCurrent: boolean): { item: Item | undefined } {
    const end = { item: isCurrent && this.#ends.length === 0 ? this.#current : undefined };
    if (end.item !== undefined) this.#current = undefined;
    this.#ends.push(end);
    return end;
  }

  /** Returns the item that a message of the stream is about. */
  #find(endedBy: EndedBy, hasSpeech: boolean): Item {
    const end = endedBy === 'client' ? this.#ends[0] : undefined;
    const item = end === undefined ? (this.#current ??= new Item()) : (end.item ??= new Item());
    item.hasSpeech ||= hasSpeech;
    return item;
  }

  /**
   * Returns the item of an utterance that no commit or clear has ended. If a commit has already announced the item,
   * returns a new item. The announced item is kept for the transcript of that commit.
   */
  #takeUnended(endedBy: EndedBy): Item {
    const end = endedBy === 'client' ? this.#ends[0] : undefined;
    if (end?.item?.isAnnounced === true) return new Item();
    const item = (end === undefined ? this.#current : end.item) ?? new Item();
    if (end === undefined) this.#current = undefined;
    else end.item = undefined;
    return item;
  }

  /**
   * Returns the new part of the text as a delta. If the text does not start with the previous deltas, returns no event.
   * The completed transcript then corrects the deltas.
   */
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

  #complete(final: FinalMessage, endedBy: EndedBy): ServerEvent[] {
    const { text, audio_start_ms: startMs, audio_end_ms: endMs, endpoint } = final;
    const commit = endpoint === true || endedBy === 'service' ? undefined : this.#ends.shift();
    const item = commit === undefined ? this.#takeUnended(endedBy) : (commit.item ?? new Item());
    // The service has ended an utterance without speech, so the client gets no event.
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
