import { Compile } from 'typebox/compile';
import type { Validator } from 'typebox/compile';
import { Value } from 'typebox/value';
import type { Static, TSchema } from 'typebox';

/** A problem with one field of a value. */
export interface Problem {
  /** Dotted path of the field. Empty for the value itself. */
  field: string;
  message: string;
}

export type Checked<T> = { ok: true; value: T } | { ok: false; problems: Problem[] };

/**
 * Creates a function that checks values against a schema. The schema is compiled at the first call. Compiling every
 * schema at start would take about 15 % of the start time of a gateway.
 */
export function checker<S extends TSchema>(schema: S): (value: unknown) => Checked<Static<S>> {
  let compiled: Validator<Record<string, never>, S> | undefined;
  return (value) => {
    compiled ??= Compile(schema);
    return compiled.Check(value) ? { ok: true, value } : { ok: false, problems: problemsOf(compiled.Errors(value)) };
  };
}

/**
 * Creates a function that adds the defaults of a schema to a copy of a value and then checks it, like the Kubernetes
 * API server.
 */
export function validator<S extends TSchema>(schema: S): (value: unknown) => Checked<Static<S>> {
  const check = checker(schema);
  return (value) => check(Value.Default(schema, structuredClone(value)));
}

/** Formats problems as one line of text. */
export function describeProblems(problems: readonly Problem[]): string {
  return problems.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join('; ');
}

interface SchemaError {
  keyword: string;
  instancePath: string;
  params: object;
  message: string;
}

function problemsOf(errors: readonly SchemaError[]): Problem[] {
  const problems = new Map<string, string>();
  // For a schema with alternatives, the errors of each branch come before the error of the alternatives. Only the first
  // message of each field is kept, so a specific message of a branch wins over the general one.
  for (const error of errors) {
    const field = error.instancePath.slice(1).replaceAll('/', '.');
    for (const problem of explain(error, field)) {
      if (!problems.has(problem.field)) problems.set(problem.field, problem.message);
    }
  }
  return [...problems].map(([field, message]) => ({ field, message }));
}

function explain({ keyword, params, message }: SchemaError, field: string): Problem[] {
  const at = (name: string) => (field === '' ? name : `${field}.${name}`);
  const { requiredProperties, additionalProperties, allowedValues, limit } = params as Record<string, unknown>;
  switch (keyword) {
    case 'required':
      return (requiredProperties as string[]).map((name) => ({ field: at(name), message: 'is required' }));
    case 'additionalProperties':
      return (additionalProperties as string[]).map((name) => ({ field: at(name), message: 'is not a known field' }));
    case 'enum':
      return [{ field, message: `must be one of ${(allowedValues as unknown[]).join(', ')}` }];
    case 'minimum':
      return [{ field, message: `must be at least ${String(limit)}` }];
    case 'maximum':
      return [{ field, message: `must be at most ${String(limit)}` }];
    // This error is reported for a property whose schema is `false`. Such a schema forbids the property.
    case 'boolean':
      return [{ field, message: 'is not a known field' }];
    default:
      return [{ field, message }];
  }
}
