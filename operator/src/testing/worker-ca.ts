import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { createCa } from '../../../test/support/ca.ts';

/** The CA of the workers, as files. */
export interface TestCa {
  /** Settings of an operator that issues certificates with this CA. */
  settings: { WORKER_ISSUER_CERT_FILE: string; WORKER_ISSUER_KEY_FILE: string };
  /** Replaces the CA. Returns the certificate of the new CA. */
  replace: () => Promise<string>;
}

/** Creates a CA in a temporary folder. */
export async function writeTestCa(): Promise<TestCa> {
  const folder = temporaryFolder('worker-ca');
  const settings = {
    WORKER_ISSUER_CERT_FILE: join(folder, 'tls.crt'),
    WORKER_ISSUER_KEY_FILE: join(folder, 'tls.key'),
  };
  const replace = async () => {
    const { cert, key } = await createCa(new Date());
    writeFileSync(settings.WORKER_ISSUER_CERT_FILE, cert);
    writeFileSync(settings.WORKER_ISSUER_KEY_FILE, key);
    return cert;
  };
  await replace();
  return { settings, replace };
}
