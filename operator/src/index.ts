export { METRICS } from './metric-list.ts';
export { startOperator } from './operator.ts';
export type { Operator } from './operator.ts';
export { OPERATOR_SETTINGS } from './settings.ts';
export type { OperatorSettings } from './settings.ts';
