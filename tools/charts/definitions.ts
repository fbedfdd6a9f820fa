import { freeSettings } from './service-settings.ts';
import type { ServiceName } from './service-settings.ts';

/** A JSON schema or a part of one. */
export type Schema = Readonly<Record<string, unknown>>;

const QUANTITY: Schema = { type: ['string', 'number'] };
const QUANTITIES: Schema = { type: 'object', additionalProperties: QUANTITY };

/** Schemas that values.yaml names with `{"ref": NAME}`. */
export const DEFINITIONS: Readonly<Record<string, Schema>> = {
  labels: { type: 'object', additionalProperties: { type: 'string' } },
  // Parts of Kubernetes objects. Their fields are not checked here, because the API server checks them.
  list: { type: 'array', items: { type: 'object' } },
  resources: {
    type: 'object',
    additionalProperties: false,
    properties: { requests: QUANTITIES, limits: QUANTITIES },
  },
  gatewaySettings: settingsOf('gateway'),
  operatorSettings: settingsOf('operator'),
  consoleSettings: settingsOf('console'),
};

/** Returns the schema of a map of settings by name. Names that are not in `freeSettings` are rejected. */
function settingsOf(service: ServiceName): Schema {
  return {
    type: 'object',
    propertyNames: { enum: freeSettings(service) },
    additionalProperties: { type: ['string', 'number', 'boolean'] },
  };
}
