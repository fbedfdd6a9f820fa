import type * as OpenApi from '../openapi/document.ts';
import { field } from './fields.ts';
import type { Html } from './html.ts';
import { markup } from './html.ts';

/** Renders the response headers of all endpoints. */
export function headersSection(document: OpenApi.OpenApiDocument): Html {
  const rows = Object.entries(document.components.headers).map(([name, { schema, description, required }]) =>
    field(name, { ...schema, description }, required, {}),
  );
  return markup`<section id="headers"><h2>Response headers</h2>
<p>A required header is always present in the responses that list it.</p><ul class="fields">${rows}</ul></section>`;
}
