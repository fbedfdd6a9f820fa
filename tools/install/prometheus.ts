import { InstallError } from './install-error.ts';
import { findOnPath } from './package-manager.ts';
import type { SystemPackage } from './package-manager.ts';
import { installPackage } from './system-package.ts';

/** The server that dashboards and alert rules are tried against. */
export const PROMETHEUS: SystemPackage = {
  name: 'prometheus',
  title: 'Prometheus',
  need: 'prometheus and promtool are needed',
  byHand: {
    'apt-get': 'apt-get install prometheus',
    dnf: 'dnf install /usr/bin/prometheus /usr/bin/promtool',
    apk: 'apk add prometheus',
    brew: 'brew install prometheus',
  },
};

/** Where its two programs lie. */
export interface PrometheusPrograms {
  readonly server: string;
  readonly tool: string;
}

/** Where the programs lie, without installing them. */
export function findPrometheus(path = process.env.PATH): PrometheusPrograms | undefined {
  const [server, tool] = [findOnPath('prometheus', path), findOnPath('promtool', path)];
  return server === undefined || tool === undefined ? undefined : { server, tool };
}

/** Installs Prometheus where there is none yet; undefined, and the reason is told, where that cannot be done. */
export function tryPrometheus(tell: (reason: string) => void): PrometheusPrograms | undefined {
  const present = findPrometheus();
  if (present !== undefined) return present;
  try {
    installPackage(PROMETHEUS, () => findPrometheus() !== undefined);
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    tell(error.message);
  }
  return findPrometheus();
}
