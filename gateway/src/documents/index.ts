export { documentsRouter } from './router.ts';
