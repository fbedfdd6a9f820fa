import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../texts/index.ts';
import { announce } from './announce.ts';
import { Icon } from './icons.tsx';

const SHOWN_MS = 2000;

/** A button that copies a text. */
export function CopyButton({
  text,
  label,
  kind = 'secondary',
  autofocus = false,
  onCopied,
}: {
  text: string;
  /** Name of the copied text, for screen readers. */
  label: string;
  kind?: 'primary' | 'secondary' | 'on-code';
  autofocus?: boolean;
  onCopied?: () => void;
}) {
  const [result, setResult] = useState<'copied' | 'failed' | undefined>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  async function copy(): Promise<void> {
    const isCopied = await writeClipboard(text);
    setResult(isCopied ? 'copied' : 'failed');
    announce(isCopied ? texts.general.copied : texts.general.copyFailed);
    if (isCopied) onCopied?.();
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setResult(undefined), SHOWN_MS);
  }

  const isCopied = result === 'copied';
  return (
    <button
      type="button"
      class={`button copy ${kind}`}
      aria-label={`${texts.general.copy}: ${label}`}
      autofocus={autofocus}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span>{isCopied ? texts.general.copied : texts.general.copy}</span>
    </button>
  );
}

/** A value with a button that copies it, such as a new key. */
export function CopyField({
  label,
  value,
  autofocus = false,
  onCopied,
}: {
  label: string;
  value: string;
  autofocus?: boolean;
  onCopied?: () => void;
}) {
  return (
    <div class="copy-field">
      <output class="mono" aria-label={label}>
        {value}
      </output>
      <CopyButton
        text={value}
        label={label}
        kind="primary"
        autofocus={autofocus}
        {...(onCopied !== undefined && { onCopied })}
      />
    </div>
  );
}

/**
 * Copies a text. If the clipboard is unavailable, such as over plain HTTP, selects the text and copies the selection.
 */
async function writeClipboard(text: string): Promise<boolean> {
  try {
    if (isSecureContext) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // The user or the browser denied access to the clipboard.
  }
  return copySelection(text);
}

function copySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'hidden';
  // While a dialog is open, only elements in this dialog can have the focus.
  const container = document.querySelector('dialog[open] .dialog-body') ?? document.body;
  const before = document.activeElement;
  container.append(area);
  area.select();
  // oxlint-disable-next-line typescript/no-deprecated -- there is no other way over plain HTTP
  const isCopied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
