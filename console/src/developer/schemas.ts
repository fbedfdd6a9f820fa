import { validator } from '@svc-asr/core';
import Type from 'typebox';
import { exact } from '../http/query.ts';

/** No control characters; with line ends and tabs, or without; and what can be seen. Each pattern reads a text once. */
const LINES = '[^\\u0000-\\u0008\\u000b-\\u001f\\u007f]';
const LINE = '[^\\u0000-\\u001f\\u007f]';
const SEEN = '[^\\s\\u0000-\\u001f\\u007f]';
const PART = '[^\\s@<>".\\u0000-\\u001f\\u007f]';

/** Something that a person wrote: not blank. */
const written = (maxLength: number, any = LINE) =>
  Type.String({ minLength: 1, maxLength, pattern: `^[ \\t\\n]*${SEEN}${any}*$` });

/** Bodies and queries of the developers' side. */
export const checkApplication = validator(
  exact({
    name: written(200),
    email: Type.String({ maxLength: 320, pattern: `^${PART}+(\\.${PART}+)*@${PART}+(\\.${PART}+)+$` }),
    organisation: Type.Optional(Type.String({ maxLength: 200, pattern: `^${LINE}*$` })),
    use: written(4000, LINES),
  }),
);

export const checkSignIn = validator(exact({ token: Type.String({ minLength: 1, maxLength: 256 }) }));

export const checkOwnKey = validator(
  exact({
    name: Type.Optional(Type.String({ maxLength: 200, pattern: `^${LINE}*$` })),
    expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650 })),
  }),
);
