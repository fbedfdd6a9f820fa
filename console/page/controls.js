import { messageOf } from './api.js';
import { html } from './html.js';

/**
 * @typedef {object} Field
 * @property {string} label
 * @property {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} control
 */

/**
 * Runs an action with the button disabled, so that a second click cannot repeat it.
 *
 * @param {HTMLButtonElement} element
 * @param {() => Promise<void>} action
 * @param {(message: string) => void} showError
 */
function runDisabled(element, action, showError) {
  element.disabled = true;
  showError('');
  action()
    .catch((/** @type {unknown} */ error) => showError(messageOf(error)))
    .finally(() => (element.disabled = false));
}

/**
 * Creates a button that is disabled while its action runs.
 *
 * @param {string} text
 * @param {() => Promise<void>} action
 * @param {{ kind?: string, showError: (message: string) => void }} options `showError` is called with '' at the start
 *   of each run, and with the message if the action fails
 */
export function button(text, action, { kind = 'quiet', showError }) {
  const element = html('button', { type: 'button', class: kind }, text);
  element.addEventListener('click', () => runDisabled(element, action, showError));
  return element;
}

/**
 * Creates a form. Its button is disabled while `submit` runs; the message of a failure is shown below the button.
 *
 * @template {string} Name
 * @param {string} buttonText
 * @param {Record<Name, Field>} fields
 * @param {(values: Record<Name, string>) => Promise<void>} submit receives the trimmed values
 */
export function form(buttonText, fields, submit) {
  const problem = html('p', { class: 'problem', role: 'alert', hidden: true });
  const send = html('button', {}, buttonText);
  /** @type {[string, Field][]} */
  const entries = Object.entries(fields);
  const element = html(
    'form',
    {},
    ...entries.map(([, { label, control }]) => html('label', {}, html('span', {}, label), control)),
    send,
    problem,
  );
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    const values = Object.fromEntries(entries.map(([name, { control }]) => [name, control.value.trim()]));
    runDisabled(
      send,
      () => submit(/** @type {Record<Name, string>} */ (values)),
      (message) => {
        problem.textContent = message;
        problem.hidden = message === '';
      },
    );
  });
  return element;
}

/**
 * Shows a secret with a button that copies it.
 *
 * @param {string} text
 */
export function secret(text) {
  const shown = html('pre', { class: 'shown-once' }, text);
  // Browsers offer the clipboard only over HTTPS and on localhost.
  if (!isSecureContext) return shown;
  const copy = html('button', { type: 'button', class: 'quiet' }, 'Copy');
  /** @param {string} message */
  const showResult = (message) => {
    copy.textContent = message;
    setTimeout(() => (copy.textContent = 'Copy'), 2000);
  };
  copy.addEventListener('click', () => {
    navigator.clipboard.writeText(text).then(
      () => showResult('Copied'),
      () => showResult('Copy failed'),
    );
  });
  return html('div', {}, shown, copy);
}
