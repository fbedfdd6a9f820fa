import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../texts/index.ts';

/**
 * A page with its title as the only h1, its actions, and its content. When the page appears and no dialog is open, the
 * focus moves to the title, so that screen readers announce it.
 */
export function Page({
  title,
  lead,
  actions,
  children,
}: {
  title: string;
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${texts.general.console}`;
  }, [title]);
  useEffect(() => {
    if (document.querySelector('dialog[open]') === null) heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, []);
  return (
    <div class="page">
      <header class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page with a border. */
export function Card({
  title,
  actions,
  children,
  isFlush = false,
}: {
  title?: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
  /** True if the content reaches the border, as a table does. */
  isFlush?: boolean;
}) {
  return (
    <section class={isFlush ? 'card flush' : 'card'}>
      {title !== undefined && (
        <header class="card-head">
          <h2>{title}</h2>
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}

/** Text that is shown instead of an empty list. It describes what the user can do next. */
export function Empty({ title, text, action }: { title: string; text?: string; action?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {text !== undefined && <p class="faint">{text}</p>}
      {action}
    </div>
  );
}

/** Grey lines in place of content that is being loaded. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="hidden">{texts.general.loading}</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="skeleton-line" />
      ))}
    </div>
  );
}

/** A short word about a state, with a colour. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  tone?: 'neutral' | 'good' | 'warning' | 'bad' | 'accent';
  children: ComponentChildren;
}) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** Pairs of a term and its value. */
export function Facts({ items }: { items: readonly (readonly [term: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {items.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
