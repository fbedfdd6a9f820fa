import { InstallError } from './install-error.ts';
import { findOnPath } from './package-manager.ts';
import type { SystemPackage } from './package-manager.ts';
import { installPackage } from './system-package.ts';

/** Names of the program on different systems. Chrome works too. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Browser for the tests. */
export const CHROMIUM: SystemPackage = {
  name: 'chromium',
  title: 'Chromium',
  need: 'Chromium is needed',
  byHand: {
    'apt-get': 'apt-get install chromium',
    dnf: 'dnf install chromium',
    apk: 'apk add chromium',
    brew: 'brew install --cask chromium',
  },
};

/** Finds Chromium on PATH. Installs nothing. */
export function findChromium(path = process.env.PATH): string | undefined {
  for (const name of NAMES) {
    const found = findOnPath(name, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the path of Chromium. Installs it with the package manager if it is missing. */
export function ensureChromium(): string {
  const present = findChromium();
  if (present !== undefined) return present;
  installPackage(CHROMIUM, () => findChromium() !== undefined);
  const installed = findChromium();
  if (installed !== undefined) return installed;
  throw new InstallError('the package manager gave no Chromium: install it by hand, put it on PATH and run again');
}
