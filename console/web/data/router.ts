import { useEffect, useState } from 'preact/hooks';

/** Address of the shown page, without its origin. */
export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

const listeners = new Set<() => void>();

function currentPlace(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

function notify(): void {
  for (const listener of listeners) listener();
}

/** Shows the page at a path of this console. */
export function navigate(path: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  notify();
}

/** Returns the address of the shown page. Draws the component again when this address changes. */
export function usePlace(): Place {
  const [place, setPlace] = useState(currentPlace);
  useEffect(() => {
    const update = () => setPlace(currentPlace());
    listeners.add(update);
    // An effect of a child component may have navigated before this effect ran.
    update();
    return () => {
      listeners.delete(update);
    };
  }, []);
  return place;
}

/**
 * Matches a path with a pattern such as `/sessions/:id`. Returns the values of the parameters, or undefined if the path
 * does not match the pattern.
 */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const expected = pattern.split('/');
  const found = path.replace(/(.)\/$/, '$1').split('/');
  if (expected.length !== found.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const value = found[index] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = decode(value);
    else if (part !== value) return undefined;
  }
  return params;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Follows links to other pages of the console without loading the document again. The browser itself handles links to
 * files, links to other sites, and clicks with a modifier key.
 */
export function followLinks(isPage: (path: string) => boolean): void {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (link === null || !isPlain || event.defaultPrevented) return;
    if (link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return;
    if (!isPage(link.pathname) || link.hash !== '') return;
    event.preventDefault();
    navigate(`${link.pathname}${link.search}`);
  });
  addEventListener('popstate', notify);
}
