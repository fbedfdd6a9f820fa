const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';

/** @typedef {Record<string, string | number>} Attributes */
/** @typedef {Node | string} Child */

/**
 * Creates an HTML element. Strings become text, never markup.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} attributes
 * @param {...Child} children
 */
export function html(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/**
 * Creates an SVG element.
 *
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} attributes
 * @param {...Child} children
 */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG_NAMESPACE, name), attributes, children);
}

/**
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes
 * @param {readonly Child[]} children
 */
function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
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
