/* global document, navigator, setTimeout */

/** An element of HTML; texts are always texts. `on…` attributes are listeners. */
export function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== false && value !== undefined) element.setAttribute(key, String(value));
  }
  element.append(...children);
  return element;
}

/** A section with a title. */
export function section(title, attributes, ...children) {
  return html('section', attributes, html('h2', {}, title), ...children);
}

/** A labelled field of a form. */
export function field(label, control) {
  return html('label', {}, html('span', {}, label), control);
}

/** A table; each row is a list of texts or elements. */
export function table(heads, rows) {
  const cell = (value) => html('td', typeof value === 'string' ? {} : { class: 'actions' }, value);
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

/** Something to be copied, shown this once. */
export function secret(text) {
  // Browsers have no clipboard on plain HTTP.
  if (navigator.clipboard === undefined) return html('pre', { class: 'shown-once' }, text);
  const copy = html('button', { type: 'button', class: 'quiet' }, 'Copy');
  copy.addEventListener('click', () => {
    const told = (words) => {
      copy.textContent = words;
      setTimeout(() => (copy.textContent = 'Copy'), 2000);
    };
    navigator.clipboard.writeText(text).then(
      () => told('Copied'),
      () => told('Copy it by hand'),
    );
  });
  return html('div', {}, html('pre', { class: 'shown-once' }, text), copy);
}

/** A form whose button waits while `submit` works, and that shows what went wrong. */
export function form(button, fields, submit) {
  const problem = html('p', { class: 'problem state Declined', role: 'alert', hidden: true });
  const send = html('button', {}, button);
  return html(
    'form',
    {
      onsubmit: (event) => {
        event.preventDefault();
        send.disabled = true;
        problem.hidden = true;
        submit(Object.fromEntries(fields.map(({ name, control }) => [name, control.value.trim()])))
          .catch((error) => {
            problem.textContent = error.message;
            problem.hidden = false;
          })
          .finally(() => (send.disabled = false));
      },
    },
    ...fields.map(({ label, control }) => field(label, control)),
    send,
    problem,
  );
}

/** A time as people read it. */
export function when(iso, otherwise) {
  return iso === null
    ? otherwise
    : new Date(iso).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** A day as people read it. */
export function day(iso, otherwise) {
  return iso === null ? otherwise : new Date(iso).toLocaleDateString(undefined, { dateStyle: 'medium' });
}

/** Milliseconds of audio as people read them. */
export function audio(ms) {
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
