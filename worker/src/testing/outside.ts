import { Worker } from 'node:worker_threads';

/** Calls an exported function of a module in a separate thread and returns the result. Then ends the thread. */
export async function callOutside<T>(module: URL, name: string, ...args: unknown[]): Promise<T> {
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.module)
      .then((loaded) => loaded[workerData.name](...workerData.args))
      .then((value) => parentPort.postMessage(value));
  `;
  const thread = new Worker(code, { eval: true, workerData: { module: module.href, name, args } });
  try {
    return await new Promise<T>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
      thread.once('exit', () => {
        reject(new Error(`${name} ended without a result`));
      });
    });
  } finally {
    await thread.terminate();
  }
}
