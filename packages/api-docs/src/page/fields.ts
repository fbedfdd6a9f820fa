import type { JsonSchema } from '../json-schema.ts';
import type { Html } from './html.ts';
import { markup } from './html.ts';
import { inline } from './markdown.ts';

type Schemas = Readonly<Record<string, JsonSchema>>;

/** Renders the fields of an object schema. Nested fields are below their parent. */
export function fields(schema: JsonSchema, schemas: Schemas): Html {
  const { properties, required = [] } = resolve(schema, schemas);
  if (properties === undefined) return markup``;
  const rows = Object.entries(properties).map(([name, property]) =>
    field(name, property, required.includes(name), schemas),
  );
  return markup`<ul class="fields">${rows}</ul>`;
}

/** Renders one field, parameter or header: name, type, required or optional, description and constraints. */
export function field(name: string, given: JsonSchema, isRequired: boolean, schemas: Schemas): Html {
  const schema = resolve(given, schemas);
  const inner = innerObject(schema, schemas);
  const about = descriptionOf(schema);
  const rules = rulesOf(schema).join(' · ');
  const shown = rules === '' ? undefined : markup`<span class="rules">${inline(rules)}</span>`;
  return markup`<li><div class="name"><code>${name}</code> <span class="type">${typeOf(schema, schemas)}</span> ${isRequired ? markup`<span class="required">required</span>` : markup`<span class="optional">optional</span>`}${about === undefined ? markup` ${shown}` : undefined}</div>
${about === undefined ? undefined : markup`<div class="about">${inline(about)} ${shown}</div>`}${inner === undefined ? undefined : fields(inner, schemas)}</li>`;
}

/** Describes the constraints of a schema, for example `1 to 300`. */
export function rulesOf(schema: JsonSchema): string[] {
  const rules: string[] = [];
  if (schema.const !== undefined) rules.push(`always ${quote(schema.const)}`);
  if (schema.enum !== undefined) rules.push(`one of ${schema.enum.map(quote).join(', ')}`);
  if (schema.prefixItems !== undefined) rules.push(schema.prefixItems.map(itemRule).join(', then '));
  rules.push(...rangeOf(schema));
  if (schema.maxItems !== undefined && schema.minItems === undefined) rules.push(`at most ${schema.maxItems} items`);
  if (schema.default !== undefined) rules.push(`default ${quote(schema.default)}`);
  if (schema.pattern !== undefined) rules.push(`pattern ${quote(schema.pattern)}`);
  return rules;
}

function itemRule(item: JsonSchema): string {
  return item.const === undefined ? rulesOf(item).join(' · ') : quote(item.const);
}

function rangeOf({ minimum, maximum, minLength, maxLength }: JsonSchema): string[] {
  if (minLength !== undefined && maxLength !== undefined) return [`${minLength} to ${maxLength} characters`];
  if (minimum !== undefined && maximum !== undefined) return [`${minimum} to ${maximum}`];
  return minimum !== undefined && minimum > 0 ? [`at least ${minimum}`] : [];
}

function quote(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function descriptionOf({ description, anyOf }: JsonSchema): string | undefined {
  return description ?? anyOf?.find((branch) => branch.description !== undefined)?.description;
}

function typeOf(schema: JsonSchema, schemas: Schemas): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map((branch) => typeOf(branch, schemas)).join(' or ');
  if (schema.type === 'array' && schema.prefixItems !== undefined) return `array of ${schema.prefixItems.length}`;
  if (schema.type === 'array' && schema.items) {
    const item = typeOf(resolve(schema.items, schemas), schemas);
    const count = schema.minItems !== undefined && schema.minItems === schema.maxItems ? ` ${schema.minItems}` : '';
    return `array of${count} ${item}s`;
  }
  return [schema.type ?? 'string', schema.format].filter((part) => part !== undefined).join(', ');
}

function innerObject(schema: JsonSchema, schemas: Schemas): JsonSchema | undefined {
  if (schema.type === 'object') return schema;
  const items = schema.items ? resolve(schema.items, schemas) : undefined;
  return items?.type === 'object' ? items : undefined;
}

/** Resolves a reference to a named schema of the document. */
export function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  const found = schemas[name];
  if (found === undefined) throw new Error(`${schema.$ref} is not in the document`);
  return found;
}
