import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The fields of a kube-state-metrics configuration that the configuration of the chart uses. */
export interface TenantMetricsConfig {
  readonly spec: {
    readonly resources: readonly {
      readonly metricNamePrefix: string;
      readonly labelsFromPath: Readonly<Record<string, readonly string[]>>;
      readonly metrics: readonly {
        readonly name: string;
        readonly each: {
          readonly gauge?: { readonly path: readonly string[] };
          readonly stateSet?: {
            readonly labelName: string;
            readonly path: readonly string[];
            readonly list: readonly string[];
          };
        };
      }[];
    }[];
  };
}

/**
 * Starts a server that stands in for kube-state-metrics, which would need a cluster. The server exports the metrics of
 * Tenants that the configuration defines.
 */
export async function startTenantMetrics(config: TenantMetricsConfig, read: () => Promise<readonly object[]>) {
  const server = createServer((_request, response) => {
    read().then(
      (tenants) => response.end(`${tenants.flatMap((tenant) => linesOf(config, tenant)).join('\n')}\n`),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function linesOf({ spec }: TenantMetricsConfig, tenant: object): string[] {
  return spec.resources.flatMap(({ metricNamePrefix, labelsFromPath, metrics }) => {
    const labels = Object.entries(labelsFromPath).map(([name, path]) => `${name}="${String(valueAt(tenant, path))}"`);
    const line = (name: string, own: readonly string[], value: unknown) =>
      `${metricNamePrefix}_${name}{${[...labels, ...own].join(',')}} ${String(value)}`;
    return metrics.flatMap(({ name, each: { gauge, stateSet } }) => {
      if (gauge !== undefined) return [line(name, [], valueAt(tenant, gauge.path))];
      const { labelName = '', path = [], list = [] } = stateSet ?? {};
      const is = valueAt(tenant, path);
      return list.map((state) => line(name, [`${labelName}="${state}"`], state === is ? 1 : 0));
    });
  });
}

function valueAt(object: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], object);
}
