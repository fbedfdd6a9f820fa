import { freeSettings } from './service-settings.ts';
import type { ServiceName } from './service-settings.ts';

/** A JSON schema, as far as it is looked into here. */
export type Schema = Readonly<Record<string, unknown>>;

const QUANTITY: Schema = { type: ['string', 'number'] };
const QUANTITIES: Schema = { type: 'object', additionalProperties: QUANTITY };

/** Schemas that values.yaml names with `{"ref": NAME}`. */
export const DEFINITIONS: Readonly<Record<string, Schema>> = {
  labels: { type: 'object', additionalProperties: { type: 'string' } },
  // Parts of Kubernetes objects, which the API server checks.
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

/** A map of settings by name; a name that the service does not know is refused. */
function settingsOf(service: ServiceName): Schema {
  return {
    type: 'object',
    propertyNames: { enum: freeSettings(service) },
    additionalProperties: { type: ['string', 'number', 'boolean'] },
  };
}
