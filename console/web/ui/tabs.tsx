import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

/** Tabs by the pattern of the ARIA authoring practices: the arrow keys select a tab. */
export function Tabs<Name extends string>({
  label,
  tabs,
  selected,
  onSelect,
  children,
}: {
  label: string;
  tabs: readonly (readonly [name: Name, text: string])[];
  selected: Name;
  onSelect: (name: Name) => void;
  /** Content of the selected tab. */
  children: ComponentChildren;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  function move(key: string): void {
    const at = tabs.findIndex(([name]) => name === selected);
    const targets: Readonly<Record<string, number>> = {
      ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: (at - 1 + tabs.length) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    const target = targets[key];
    const [name] = (target === undefined ? undefined : tabs[target]) ?? [];
    if (target === undefined || name === undefined) return;
    onSelect(name);
    const button = list.current?.children[target];
    if (button instanceof HTMLElement) button.focus();
  }
  return (
    <>
      <div ref={list} class="tabs" role="tablist" aria-label={label} onKeyDown={(event) => move(event.key)}>
        {tabs.map(([name, text]) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === selected}
            aria-controls={`${id}-panel`}
            tabIndex={name === selected ? 0 : -1}
            onClick={() => onSelect(name)}
          >
            {text}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${selected}`}>
        {children}
      </div>
    </>
  );
}
