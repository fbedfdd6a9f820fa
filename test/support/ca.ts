/** Certificates for tests of workspaces, which may import files of test/ but not of tools/. */
export { createCa } from '../../tools/start/certificates.ts';
