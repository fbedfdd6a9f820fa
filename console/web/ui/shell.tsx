import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { usePlace } from '../data/router.ts';
import { texts } from '../texts/index.ts';
import type { IconName } from './icons.tsx';
import { Icon, Mark } from './icons.tsx';

export interface NavigationEntry {
  readonly href: string;
  readonly text: string;
  readonly icon: IconName;
  /** True if the address is not a page of the console. */
  readonly isExternal?: boolean;
}

/**
 * The frame of every page of a signed-in user: navigation at the side, or behind a menu button on a phone, and the
 * content.
 */
export function Shell({
  brand = texts.general.product,
  groups,
  identity,
  footer,
  children,
}: {
  /** Name of the product above the navigation. */
  brand?: string;
  /** Groups of entries. A line separates them. */
  groups: readonly (readonly NavigationEntry[])[];
  /** Who is signed in. */
  identity: ComponentChildren;
  /** Actions below the navigation, such as sign out. */
  footer: ComponentChildren;
  children: ComponentChildren;
}) {
  const { path } = usePlace();
  const [isOpen, setOpen] = useState(false);
  const menuButton = useRef<HTMLButtonElement>(null);
  useEffect(() => setOpen(false), [path]);

  return (
    <div class="shell">
      <a class="skip" href="#content">
        {texts.general.skipToContent}
      </a>
      <header
        class="side"
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || !isOpen) return;
          setOpen(false);
          menuButton.current?.focus();
        }}
      >
        <div class="side-top">
          <a class="brand" href="/">
            <Mark />
            {brand}
          </a>
          <button
            ref={menuButton}
            type="button"
            class="button quiet menu-button"
            aria-expanded={isOpen}
            aria-controls="navigation"
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'close' : 'menu'} />
            <span>{texts.general.menu}</span>
          </button>
        </div>
        <div id="navigation" class={isOpen ? 'side-body open' : 'side-body'}>
          <div class="identity">{identity}</div>
          <nav aria-label={texts.navigation.label}>
            {groups.map((entries) => (
              <ul key={entries[0]?.href}>
                {entries.map((entry) => (
                  <li key={entry.href}>
                    <Entry entry={entry} path={path} />
                  </li>
                ))}
              </ul>
            ))}
          </nav>
          <div class="side-foot">{footer}</div>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function Entry({ entry: { href, text, icon, isExternal = false }, path }: { entry: NavigationEntry; path: string }) {
  const isCurrent = !isExternal && (href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`));
  return (
    <a class="entry" href={href} aria-current={isCurrent ? 'page' : undefined}>
      <Icon name={icon} />
      <span>{text}</span>
      {isExternal && <Icon name="external" />}
    </a>
  );
}
