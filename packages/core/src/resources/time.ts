import Type from 'typebox';
import type { TSchemaOptions } from 'typebox';

const DATE = '\\d{4}-\\d{2}-\\d{2}';
const TIME = '([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?';
const OFFSET = '(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)';

/**
 * Builds the schema of an RFC 3339 time. It needs a pattern, because validators disagree about `format`. Some accept
 * leap seconds, lower case letters or names of time zones, which this project cannot process.
 */
export function moment(description: string, options: TSchemaOptions = {}) {
  return Type.String({
    format: 'date-time',
    pattern: `^${DATE}T${TIME}${OFFSET}$`,
    maxLength: 35,
    description,
    ...options,
  });
}
