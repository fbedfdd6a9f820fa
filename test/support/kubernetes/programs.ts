import { findEtcd } from '../../../tools/install/etcd.ts';
import { findGoTool } from '../../../tools/install/go-tools.ts';

/** Where the programs of a test cluster lie. */
export interface Programs {
  etcd: string;
  apiServer: string;
  controllerManager: string;
  kubectl: string;
}

let found: Programs | undefined;

/** Finds the programs that the set-up of `npm test` got. */
export function findPrograms(): Programs {
  found ??= {
    etcd: present('etcd', findEtcd()),
    apiServer: present('kube-apiserver', findGoTool('kube-apiserver')),
    controllerManager: present('kube-controller-manager', findGoTool('kube-controller-manager')),
    kubectl: present('kubectl', findGoTool('kubectl')),
  };
  return found;
}

function present(name: string, path: string | undefined): string {
  if (path === undefined) throw new Error(`there is no ${name} of a fitting version here; \`npm test\` gets it`);
  return path;
}
