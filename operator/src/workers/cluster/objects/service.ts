import type { V1Service } from '@kubernetes/client-node';
import type { WorkerTemplate } from '../../template.ts';
import { buildMetadata } from './metadata.ts';
import { PORTS } from '../installation.ts';
import { LABELS, sharedName } from '../names.ts';

/**
 * Builds the headless Service of a model's workers, for DNS and metrics. Gateways find workers in the ledger instead.
 */
export function buildService(template: WorkerTemplate) {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: buildMetadata(template, sharedName(template.model)),
    spec: {
      clusterIP: 'None',
      selector: { [LABELS.model]: template.model },
      ports: [
        { name: 'stream', port: PORTS.stream, targetPort: 'stream', protocol: 'TCP' },
        { name: 'admin', port: PORTS.admin, targetPort: 'admin', protocol: 'TCP' },
      ],
    },
  } satisfies V1Service;
}
