import type { Structural } from './structural.ts';

/** Returns the type and the limits of a field, for the docs. */
export function showType(field: Structural): string {
  if (field['x-kubernetes-int-or-string'] === true) return 'quantity';
  if (field.enum !== undefined) return field.enum.map((value) => `\`${String(value)}\``).join(', ');
  const { type = '', additionalProperties } = field;
  if (type === 'string') return showText(field);
  if (type === 'integer' || type === 'number') return `${type} ${showRange(field)}`.trim();
  if (type === 'array') return `list${field.maxItems === undefined ? '' : ` of up to ${showNumber(field.maxItems)}`}`;
  return additionalProperties === undefined ? type : `map of ${showType(additionalProperties)}`;
}

function showText({ format, nullable, maxLength }: Structural): string {
  if (format === 'date-time') return nullable === true ? 'time or null' : 'time';
  return maxLength === undefined ? 'text' : `text of up to ${showNumber(maxLength)}`;
}

function showRange({ minimum, maximum }: Structural): string {
  if (minimum === undefined && maximum === undefined) return '';
  if (maximum === undefined) return `from ${showNumber(minimum ?? 0)}`;
  return minimum === undefined ? `up to ${showNumber(maximum)}` : `${showNumber(minimum)} to ${showNumber(maximum)}`;
}

function showNumber(value: number): string {
  return value.toLocaleString('en-US');
}
