import type { OpenApi } from '@svc-asr/core';
import { field } from './fields.ts';
import type { Html } from './html.ts';
import { markup } from './html.ts';

/** Response headers, once for all endpoints. */
export function headersSection(document: OpenApi.OpenApiDocument): Html {
  const rows = Object.entries(document.components.headers).map(([name, { schema, description, required }]) =>
    field(name, { ...schema, description }, required, {}),
  );
  return markup`<section id="headers"><h2>Response headers</h2>
<p>“Required” means always there where the endpoint lists the header.</p><ul class="fields">${rows}</ul></section>`;
}
