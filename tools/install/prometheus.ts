import { InstallError } from './install-error.ts';
import { findOnPath } from './package-manager.ts';
import type { SystemPackage } from './package-manager.ts';
import { installPackage } from './system-package.ts';

/** The server that tests run the dashboards and the alert rules on, and the tool that checks the rules. */
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

/** Paths of the two programs. */
export interface PrometheusPrograms {
  readonly server: string;
  readonly tool: string;
}

/** Finds both programs on PATH. Installs nothing. */
export function findPrometheus(path = process.env.PATH): PrometheusPrograms | undefined {
  const [server, tool] = [findOnPath('prometheus', path), findOnPath('promtool', path)];
  return server === undefined || tool === undefined ? undefined : { server, tool };
}

/** Returns the programs of Prometheus. Installs them with the package manager if they are missing. */
export function ensurePrometheus(): PrometheusPrograms {
  const present = findPrometheus();
  if (present !== undefined) return present;
  installPackage(PROMETHEUS, () => findPrometheus() !== undefined);
  const installed = findPrometheus();
  if (installed !== undefined) return installed;
  throw new InstallError(
    'the package manager installed no prometheus or no promtool; download both from https://prometheus.io/download and put them on PATH',
  );
}
