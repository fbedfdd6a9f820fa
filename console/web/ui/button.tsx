import type { ComponentChildren } from 'preact';
import type { IconName } from './icons.tsx';
import { Icon } from './icons.tsx';

export interface ButtonProps {
  children: ComponentChildren;
  kind?: 'primary' | 'secondary' | 'danger' | 'quiet';
  icon?: IconName;
  type?: 'button' | 'submit';
  /** True while the action of the button runs. The button keeps the focus, but a click has no effect. */
  isBusy?: boolean;
  isDisabled?: boolean;
  /** Name for screen readers, if the text alone does not identify the button. */
  label?: string;
  autofocus?: boolean;
  onClick?: () => void;
}

export function Button(props: ButtonProps) {
  const { children, kind = 'secondary', icon, type = 'button', isBusy = false, isDisabled = false } = props;
  return (
    <button
      type={type}
      class={`button ${kind}`}
      disabled={isDisabled}
      aria-disabled={isBusy}
      aria-busy={isBusy}
      aria-label={props.label}
      autofocus={props.autofocus}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else props.onClick?.();
      }}
    >
      {icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({
  href,
  children,
  kind = 'secondary',
  icon,
  download,
}: {
  href: string;
  children: ComponentChildren;
  kind?: 'primary' | 'secondary' | 'quiet';
  icon?: IconName;
  download?: string;
}) {
  return (
    <a class={`button ${kind}`} href={href} download={download}>
      {icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
    </a>
  );
}
