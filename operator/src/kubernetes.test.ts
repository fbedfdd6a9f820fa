import { CustomObjectsApi, KubeConfig } from '@kubernetes/client-node';

test('the Kubernetes client, an ES module, loads in jest', () => {
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: 'c', server: 'https://127.0.0.1:1' }],
    users: [{ name: 'u' }],
    contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
    currentContext: 'x',
  });
  expect(config.makeApiClient(CustomObjectsApi)).toBeInstanceOf(CustomObjectsApi);
});
