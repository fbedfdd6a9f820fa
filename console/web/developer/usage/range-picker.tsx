import { useState } from 'preact/hooks';
import { texts } from '../../texts/index.ts';
import { Segments } from '../../ui/choices.tsx';
import { TextField } from '../../ui/field.tsx';
import { dayOf } from './group.ts';
import type { UsageRange } from './range.ts';
import { isRange } from './range.ts';

/** Selects a range that ends today, or a range between two days that the user chooses. */
export function RangePicker({
  range,
  nowMs,
  onChange,
}: {
  range: UsageRange;
  nowMs: number;
  onChange: (query: Readonly<Record<string, string>>) => void;
}) {
  const text = texts.usage;
  const [custom, setCustom] = useState({ from: range.from, to: range.to });
  const [isCustom, setIsCustom] = useState(range.choice === 'custom');
  const change = (next: typeof custom) => {
    setCustom(next);
    if (isRange(next.from, next.to)) onChange(next);
  };
  const isInvalid = isCustom && !isRange(custom.from, custom.to);
  const today = dayOf(nowMs);
  return (
    <div class="range">
      <Segments
        label={text.range}
        choices={text.ranges}
        value={isCustom ? 'custom' : range.choice}
        onChange={(choice) => {
          setIsCustom(choice === 'custom');
          if (choice === 'custom') setCustom({ from: range.from, to: range.to });
          else onChange({ days: choice });
        }}
      />
      {isCustom && (
        <div class="range-days">
          <TextField
            label={text.from}
            type="date"
            max={today}
            value={custom.from}
            onChange={(from) => change({ ...custom, from })}
          />
          <TextField
            label={text.to}
            type="date"
            max={today}
            value={custom.to}
            onChange={(to) => change({ ...custom, to })}
          />
        </div>
      )}
      {isInvalid && (
        <p class="problem" role="alert">
          {custom.from === '' ? text.noFirstDay : custom.to === '' ? text.noLastDay : text.invalidRange}
        </p>
      )}
    </div>
  );
}
