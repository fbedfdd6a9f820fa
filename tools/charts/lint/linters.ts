import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runCommand } from '../../cluster/command.ts';
import { findGo, GO_ENVIRONMENT } from '../../install/go-build.ts';
import { findOnPath } from '../../install/system-package.ts';
import { withLock } from '../../launch/lock.mjs';
import { cacheFolder } from '../../launch/node.mjs';
import { logProgress } from '../../launch/terminal.mjs';

/** Go packages of the linters, with their versions. Go verifies the modules with its checksum database. */
const LINTERS = {
  'kube-linter': 'golang.stackrox.io/kube-linter/cmd/kube-linter@v0.7.21',
  'kube-score': 'github.com/zegl/kube-score/cmd/kube-score@v1.20.0',
} as const;

export type Linter = keyof typeof LINTERS;

export const LINTER_NAMES: readonly Linter[] = ['kube-linter', 'kube-score'];

/** Timeout of a build. A build takes up to 3 minutes on two cores, and longer on a busy machine. */
const BUILD_TIMEOUT_MS = 1_200_000;

/**
 * Returns the path of a linter: from PATH, from the cache, or after building it into the cache. The linters are not in
 * a go.mod of tools/go. There, Go would build them with the newer Kubernetes libraries of the other tools.
 */
export async function ensureLinter(name: Linter): Promise<string> {
  const source = LINTERS[name];
  const folder = join(cacheFolder(), `go-${basename(source)}-${process.platform}-${process.arch}`);
  const file = join(folder, name);
  const found = findOnPath(name) ?? (existsSync(file) ? file : undefined);
  if (found !== undefined) return found;
  await withLock(join(folder, 'lock'), `waiting for another command that builds ${name}`, async () => {
    if (existsSync(file)) return;
    const go = findGo(`${source} must be built from source (or put ${name} on PATH)`);
    logProgress(`building ${source} from source; this can take 3 minutes on two cores, but is done only once`);
    const env = { ...process.env, ...GO_ENVIRONMENT, GOBIN: folder };
    await runCommand(go, ['install', '-trimpath', '-ldflags=-s -w', source], { env, timeoutMs: BUILD_TIMEOUT_MS });
  });
  return file;
}
