/** Certificates for the tests of the workspaces. These tests may import files of test/, but not of tools/. */
export { createCa } from '../../tools/start/certificates.ts';
