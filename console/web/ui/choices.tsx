import { useId } from 'preact/hooks';

type Choice = readonly [value: string, text: string];

/** A list of checkboxes. */
export function Choices({
  label,
  choices,
  selected,
  onChange,
}: {
  label: string;
  choices: readonly Choice[];
  selected: readonly string[];
  onChange: (selected: readonly string[]) => void;
}) {
  return (
    <fieldset class="choices">
      <legend class="hidden">{label}</legend>
      {choices.map(([value, text]) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={selected.includes(value)}
            onChange={(event) =>
              onChange(event.currentTarget.checked ? [...selected, value] : selected.filter((each) => each !== value))
            }
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** A row of choices. Exactly one choice is selected. */
export function Segments({
  label,
  choices,
  value,
  onChange,
}: {
  label: string;
  choices: readonly Choice[];
  value: string;
  onChange: (value: string) => void;
}) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="hidden">{label}</legend>
      {choices.map(([choice, text]) => (
        <label key={choice}>
          <input type="radio" name={name} value={choice} checked={choice === value} onChange={() => onChange(choice)} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
