export { createApp } from './app.ts';
export { GATEWAY_SETTINGS } from './settings.ts';
