export * from './admin.ts';
export * from './keyring.ts';
export * from './lifecycle.ts';
export * from './logger.ts';
export * from './metrics.ts';
export * from './redact.ts';
export * from './service-settings.ts';
export * from './settings.ts';
