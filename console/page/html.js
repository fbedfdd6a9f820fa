/** @typedef {Record<string, string | number | boolean | undefined>} Attributes */
/** @typedef {Node | string} Child */

/**
 * Creates an HTML element. Strings become text, never markup. `true` sets an attribute without a value; `false` and
 * `undefined` leave it out.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} attributes
 * @param {...Child} children
 */
export function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(key, '');
    else if (value !== false && value !== undefined) element.setAttribute(key, String(value));
  }
  element.append(...children);
  return element;
}

/**
 * Returns an element of the page.
 *
 * @param {string} id
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element with the id ${id}.`);
  return element;
}

/**
 * Shows a message at the top of the page. An empty message hides it.
 *
 * @param {string} message
 */
export function showNotice(message) {
  const notice = byId('notice');
  notice.textContent = message;
  notice.hidden = message === '';
}

/**
 * @param {string} title
 * @param {Attributes} attributes
 * @param {...Child} children
 */
export function section(title, attributes, ...children) {
  return html('section', attributes, html('h2', {}, title), ...children);
}

/**
 * @param {readonly string[]} heads
 * @param {readonly (readonly Child[])[]} rows
 */
export function table(heads, rows) {
  /**
   * @param {Child} content
   * @param {number} column
   */
  const cell = (content, column) =>
    html('td', typeof content === 'string' ? { 'data-label': heads[column] } : { class: 'actions' }, content);
  return html(
    'div',
    { class: 'scroll' },
    html(
      'table',
      {},
      html('thead', {}, html('tr', {}, ...heads.map((head) => html('th', {}, head)))),
      html('tbody', {}, ...rows.map((row) => html('tr', {}, ...row.map(cell)))),
    ),
  );
}
