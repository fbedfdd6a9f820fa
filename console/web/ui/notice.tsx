import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { messageOf, RequestError } from '../data/api.ts';
import { texts } from '../texts/index.ts';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';

export type Tone = 'info' | 'success' | 'warning' | 'danger';

/** A message about the state of the page. Screen readers announce it when it appears. */
export function Notice({
  tone = 'info',
  title,
  children,
  actions,
  focusFor,
}: {
  tone?: Tone;
  title?: string;
  children?: ComponentChildren;
  actions?: ComponentChildren;
  /**
   * Result of an action whose button disappears when the result is shown. The focus moves to the notice when the notice
   * appears, and when the result changes.
   */
  focusFor?: unknown;
}) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (focusFor !== undefined) element.current?.focus();
  }, [focusFor]);
  return (
    <div
      ref={element}
      class={`notice ${tone}`}
      role={tone === 'danger' ? 'alert' : 'status'}
      tabIndex={focusFor === undefined ? undefined : -1}
    >
      <Icon name={tone === 'success' ? 'check' : tone === 'info' ? 'info' : 'warning'} />
      <div class="notice-text">
        {title !== undefined && <p class="notice-title">{title}</p>}
        {children !== undefined && <div>{children}</div>}
      </div>
      {actions !== undefined && <div class="notice-actions">{actions}</div>}
    </div>
  );
}

/**
 * Message of a failed action of a form. The region also exists without a message, because screen readers may not
 * announce a region that appears together with its text.
 */
export function Problem({ message }: { message: string }) {
  return (
    <div role="alert" class="problem-region">
      {message !== '' && <p class="problem">{message}</p>}
    </div>
  );
}

/** Reports that data could not be loaded, with the id of the request and a button to try again. */
export function LoadFailure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const requestId = error instanceof RequestError ? error.requestId : undefined;
  return (
    <Notice tone="danger" actions={<Button onClick={onRetry}>{texts.general.tryAgain}</Button>}>
      <p>{messageOf(error)}</p>
      {requestId !== undefined && <p class="faint mono small">{texts.general.requestId(requestId)}</p>}
    </Notice>
  );
}
