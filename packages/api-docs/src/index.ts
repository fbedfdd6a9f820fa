export { buildAsyncApi } from './asyncapi/asyncapi.ts';
export type * as AsyncApi from './asyncapi/document.ts';
export type * as OpenApi from './openapi/document.ts';
export { closeSchema, describeResponse, findOperation } from './openapi/lookup.ts';
export type { DescribedResponse } from './openapi/lookup.ts';
export { buildOpenApi } from './openapi/openapi.ts';
export { renderDocuments } from './render.ts';
export type { Documents } from './render.ts';
