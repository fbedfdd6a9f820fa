import { parseObject } from '../parse-object.ts';
import { quoteValues } from '../quote.ts';
import type { TSchema } from 'typebox';
import type { Checked, Problem } from '../validate.ts';
import { checker, describeProblems } from '../validate.ts';
import { CLIENT_MESSAGES } from './client.ts';
import type { ClientMessage } from './client.ts';
import { STREAM_LIMITS } from './limits.ts';
import { PHRASE_TEXT_RULE } from './phrases.ts';

/** A parsed message of the client, or the code and reason of the `error` event with which to answer it. */
export type ParsedClientMessage =
  | { readonly ok: true; readonly message: ClientMessage }
  | { readonly ok: false; readonly code: 'invalid_message' | 'invalid_config'; readonly reason: string };

type ClientType = keyof typeof CLIENT_MESSAGES;

const TYPES = Object.keys(CLIENT_MESSAGES) as ClientType[];
const checks = Object.fromEntries(
  Object.entries<TSchema>(CLIENT_MESSAGES).map(([type, schema]) => [type, checker(schema)]),
) as Record<ClientType, (value: unknown) => Checked<unknown>>;

const encoder = new TextEncoder();

/** Maximum number of problems in the reason of an `error` event. */
const MAX_PROBLEMS = 5;

/** Parses a text message of the client. Unknown fields are omitted from the result. */
export function parseClientMessage(text: string): ParsedClientMessage {
  // A UTF-16 code unit takes at most three bytes of UTF-8, so most texts need not be encoded to check their size.
  const mayBeLarge = text.length * 3 > STREAM_LIMITS.maxMessageBytes;
  if (mayBeLarge && encoder.encode(text).length > STREAM_LIMITS.maxMessageBytes) {
    return invalid(`A text message may have at most ${STREAM_LIMITS.maxMessageBytes} bytes.`);
  }
  const value = parseObject(text);
  if (value === undefined) return invalid('A text message must be a JSON object; audio goes into binary frames.');
  const type = value.type;
  if (!isClientType(type)) return invalid(unknownType(type));
  return checked(type, value);
}

function checked(type: ClientType, value: Record<string, unknown>): ParsedClientMessage {
  const result = checks[type](value);
  if (!result.ok) {
    const problems = quoteValues(result.problems.slice(0, MAX_PROBLEMS), value).map(explainPhrase);
    return { ok: false, code: 'invalid_config', reason: `${describeProblems(problems)}.` };
  }
  const known = Object.keys(CLIENT_MESSAGES[type].properties).filter((name) => Object.hasOwn(value, name));
  return {
    ok: true,
    message: Object.fromEntries(known.map((name) => [name, value[name]])) as unknown as ClientMessage,
  };
}

/** If the text of a phrase does not match its pattern, replaces the message with the rule in words. */
function explainPhrase({ field, message }: Problem): Problem {
  const isPattern = /^phrases\.\d+\.text$/.test(field) && message.startsWith('must match pattern');
  return { field, message: isPattern ? PHRASE_TEXT_RULE : message };
}

function isClientType(type: unknown): type is ClientType {
  return typeof type === 'string' && Object.hasOwn(CLIENT_MESSAGES, type);
}

function unknownType(type: unknown): string {
  const expected = `"type" must be one of ${TYPES.join(', ')}`;
  // Only a short lowercase word is quoted, because a client may send a secret as the type by mistake.
  const given = typeof type === 'string' && /^[a-z_]{1,24}$/.test(type) ? `, not ${type}` : '';
  return `${expected}${given}.`;
}

function invalid(reason: string): ParsedClientMessage {
  return { ok: false, code: 'invalid_message', reason };
}
