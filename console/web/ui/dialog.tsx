import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { texts } from '../texts/index.ts';
import { Icon } from './icons.tsx';

/**
 * A modal dialog. When the dialog appears, the focus moves into it. When the dialog disappears and no other element has
 * got the focus, the focus returns to the element that had it before. If this element was removed, the title of the
 * page gets the focus. A dialog that is not dismissible can be closed only with its own buttons. While such a dialog is
 * open, the browser asks the user before it closes the tab.
 */
export function Dialog({
  title,
  children,
  isDismissible = true,
  isWide = false,
  onClose,
}: {
  title: string;
  children: ComponentChildren;
  isDismissible?: boolean;
  isWide?: boolean;
  /** Called when the user dismisses the dialog. */
  onClose?: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();

  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      // Preact calls this function after the dialog was removed. The result of the action may already have the focus.
      if (document.activeElement !== document.body) return;
      const isThere = before instanceof HTMLElement && before !== document.body && before.isConnected;
      // The action of the dialog may have removed the button that opened it.
      const target = isThere ? before : document.querySelector('h1');
      target?.focus({ preventScroll: true });
    };
  }, []);

  useEffect(() => {
    if (isDismissible) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isDismissible]);

  return (
    <dialog
      ref={dialog}
      class={isWide ? 'wide' : undefined}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (isDismissible) onClose?.();
      }}
      // Browsers close a dialog at the second Escape even if the first one was cancelled.
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        if (isDismissible) onClose?.();
      }}
      onClick={(event) => {
        if (isDismissible && event.target === event.currentTarget) onClose?.();
      }}
    >
      <div class="dialog-body">
        <header>
          <h2 id={titleId}>{title}</h2>
          {isDismissible && (
            <button type="button" class="button quiet icon-only" aria-label={texts.general.close} onClick={onClose}>
              <Icon name="close" />
            </button>
          )}
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ComponentChildren }) {
  return <div class="dialog-actions">{children}</div>;
}
