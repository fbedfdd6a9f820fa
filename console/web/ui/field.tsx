import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { texts } from '../texts/index.ts';

interface FieldProps {
  label: string;
  hint?: string;
  /** Message about an invalid value. */
  problem?: string;
  isOptional?: boolean;
}

interface ControlProps {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean | undefined;
}

/** A control with its label, a hint, and the problem with its value. */
export function Field({
  label,
  hint,
  problem,
  isOptional = false,
  children,
}: FieldProps & { children: (control: ControlProps) => ComponentChildren }) {
  const id = useId();
  const describedBy = [hint !== undefined && `${id}-hint`, problem !== undefined && `${id}-problem`].filter(Boolean);
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional && <span class="faint"> ({texts.general.optional})</span>}
      </label>
      {children({
        id,
        'aria-describedby': describedBy.length === 0 ? undefined : describedBy.join(' '),
        'aria-invalid': problem === undefined ? undefined : true,
      })}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

interface InputAttributes {
  type?: 'text' | 'email' | 'number' | 'date' | 'password';
  required?: boolean;
  maxLength?: number;
  min?: string;
  max?: string;
  step?: string;
  autocomplete?: string;
  placeholder?: string;
  pattern?: string;
  title?: string;
  autofocus?: boolean;
}

/** A field of one line. */
export function TextField(
  props: FieldProps & InputAttributes & { value: string; onChange: (value: string) => void; isMono?: boolean },
) {
  const { label, hint, problem, isOptional, value, onChange, isMono = false, type = 'text', ...attributes } = props;
  return (
    <Field {...pick({ label, hint, problem, isOptional })}>
      {(control) => (
        <input
          {...attributes}
          {...control}
          // The types of Preact have one variant per input type, and none that accepts any input type.
          {...({ type } as object)}
          class={isMono ? 'mono' : undefined}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A field of several lines. */
export function TextArea(
  props: FieldProps & {
    value: string;
    onChange: (value: string) => void;
    rows?: number;
    required?: boolean;
    maxLength?: number;
    placeholder?: string;
  },
) {
  const { label, hint, problem, isOptional, value, onChange, ...attributes } = props;
  return (
    <Field {...pick({ label, hint, problem, isOptional })}>
      {(control) => (
        <textarea
          rows={4}
          {...attributes}
          {...control}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A field with a list of choices: pairs of a value and its text. */
export function SelectField(
  props: FieldProps & {
    value: string;
    onChange: (value: string) => void;
    choices: readonly (readonly [value: string, text: string])[];
  },
) {
  const { label, hint, problem, isOptional, value, onChange, choices } = props;
  return (
    <Field {...pick({ label, hint, problem, isOptional })}>
      {(control) => (
        <select {...control} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {choices.map(([choice, text]) => (
            <option key={choice} value={choice} selected={choice === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/**
 * Returns the properties that are not undefined. The type of an optional property does not allow the value undefined.
 */
function pick({
  label,
  hint,
  problem,
  isOptional,
}: { [K in keyof FieldProps]: FieldProps[K] | undefined }): FieldProps {
  return {
    label: label ?? '',
    ...(hint !== undefined && { hint }),
    ...(problem !== undefined && { problem }),
    ...(isOptional !== undefined && { isOptional }),
  };
}
