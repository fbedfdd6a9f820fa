import { findGoTool } from '../../../tools/install/go-tools.ts';
import { ETCD } from '../../../tools/install/programs.ts';

/** Paths of the programs of a test cluster. */
export interface Programs {
  etcd: string;
  apiServer: string;
  controllerManager: string;
  kubectl: string;
}

let found: Programs | undefined;

/** Finds the programs that `npm test` has installed. */
export function findPrograms(): Programs {
  found ??= {
    etcd: present('etcd', ETCD.find()),
    apiServer: present('kube-apiserver', findGoTool('kube-apiserver')),
    controllerManager: present('kube-controller-manager', findGoTool('kube-controller-manager')),
    kubectl: present('kubectl', findGoTool('kubectl')),
  };
  return found;
}

function present(name: string, path: string | undefined): string {
  if (path === undefined) throw new Error(`${name} of a supported version is missing; \`npm test\` installs it`);
  return path;
}
