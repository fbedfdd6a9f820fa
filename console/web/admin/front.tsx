import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { adminTexts } from '../texts/admin.ts';
import { Mark } from '../ui/icons.tsx';

/** The frame of pages without navigation. */
export function Front({ title, lead, children }: { title: string; lead?: string; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${adminTexts.common.product}`;
    heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <div class="front">
      <header class="front-top">
        <a class="brand" href="/">
          <Mark />
          {adminTexts.common.product}
        </a>
      </header>
      <main>
        <div class="front-narrow">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
          {children}
        </div>
      </main>
    </div>
  );
}
