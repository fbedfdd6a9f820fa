export { readDocuments } from './files.ts';
export { documentsRouter } from './router.ts';
