export { createInternalApp } from './app.ts';
export { listenInternally } from './listen.ts';
