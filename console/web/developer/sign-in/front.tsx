import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../../texts/index.ts';
import { Skeleton } from '../../ui/content.tsx';
import { Mark } from '../../ui/icons.tsx';

/** The frame of pages without navigation. */
export function Front({
  title,
  lead,
  actions,
  isNarrow = true,
  children,
}: {
  title: string;
  lead?: string;
  /** Actions at the top right, such as sign out. */
  actions?: ComponentChildren;
  isNarrow?: boolean;
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${texts.general.console}`;
    if (document.querySelector('dialog[open]') === null) heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <div class="front">
      <header class="front-top">
        <a class="brand" href="/">
          <Mark />
          {texts.general.product}
        </a>
        <div class="page-actions">
          <a class="button quiet" href="/docs">
            {texts.navigation.documentation}
          </a>
          {actions}
        </div>
      </header>
      <main>
        <div class={isNarrow ? 'front-narrow' : undefined}>
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

/** Page that is shown until the account is known. */
export function Loading() {
  return (
    <Front title={texts.signIn.loadingTitle}>
      <Skeleton lines={4} />
    </Front>
  );
}
