export * from './event-loop.ts';
export * from './instruments.ts';
export * from './settings.ts';
export * from './telemetry.ts';
export * from './traceparent.ts';
export * from './tracing.ts';
