/* global document */
import { createCall } from './api.js';
import { form, html, secret, section, table, when } from './html.js';

const at = (id) => document.getElementById(id);
/** Kept in this page alone: it is gone when the page is. */
let token = '';

const call = createCall('/admin/v1', () => ({ authorization: `Bearer ${token}` }));

function tell(message) {
  at('notice').textContent = message;
  at('notice').hidden = message === '';
}

/** A button that waits while its work is done, and tells when it fails. */
function button(text, act, kind = '') {
  const element = html('button', { type: 'button', class: `quiet ${kind}` }, text);
  element.addEventListener('click', () => {
    element.disabled = true;
    tell('');
    act()
      .catch(({ message }) => tell(message))
      .finally(() => (element.disabled = false));
  });
  return element;
}

function application({ name, created_at: since, spec }) {
  const { name: who = '', email = '', organisation = '', use = '' } = spec.contact ?? {};
  const seconds = html('input', {
    type: 'number',
    min: 0,
    placeholder: 'the default of the console',
    'aria-label': 'Seconds of audio',
  });
  const decide = async (step, body) => {
    await call('POST', `applications/${encodeURIComponent(name)}/${step}`, body);
    await refresh();
  };
  const approval = () => decide('approve', seconds.value === '' ? {} : { audio_seconds: Number(seconds.value) });
  return section(
    organisation === '' ? who : organisation,
    { class: 'application' },
    html('p', { class: 'faint' }, `${who}, ${email}, since ${when(since, 'unknown')} (tenant ${name})`),
    html('p', {}, use),
    html(
      'div',
      { class: 'row' },
      html('label', {}, html('span', {}, 'First grant, in seconds of audio'), seconds),
      button('Approve', approval),
      button('Decline', () => decide('decline'), 'danger'),
    ),
  );
}

function tenantsTable(tenants) {
  const newLink = async (name) => {
    const made = await call('POST', `tenants/${encodeURIComponent(name)}/link`);
    const text =
      'Put this behind the address of the console and send it to the developer alone. The old link no longer works.';
    at('made').replaceChildren(
      section(`New private link of ${name}`, { class: 'secret' }, html('p', {}, text), secret(made.path)),
    );
  };
  const approve = async (name) => {
    await call('POST', `applications/${encodeURIComponent(name)}/approve`, {});
    await refresh();
  };
  const rows = tenants.map(({ name, spec, read_only: isReadOnly }) => [
    spec.displayName,
    name,
    spec.state,
    spec.models.join(', '),
    String(spec.limits.concurrentSessions),
    isReadOnly
      ? html('span', { class: 'faint' }, 'defined elsewhere')
      : html(
          'span',
          {},
          ...(spec.state === 'Declined' ? [button('Approve', () => approve(name)), ' '] : []),
          button('New link', () => newLink(name)),
        ),
  ]);
  return table(['Name', 'Tenant', 'State', 'Models', 'Sessions at a time', ''], rows);
}

async function refresh() {
  const [waiting, tenants] = await Promise.all([call('GET', 'applications'), call('GET', 'tenants')]);
  at('sign-out').hidden = false;
  at('content').replaceChildren(
    html('h1', {}, 'Applications'),
    ...(waiting.data.length === 0 ? [html('p', { class: 'faint' }, 'Nobody waits.')] : waiting.data.map(application)),
    html('h1', {}, 'Tenants'),
    html('div', { id: 'made' }),
    html('section', {}, tenantsTable(tenants.data)),
  );
}

function showEntrance() {
  token = '';
  at('sign-out').hidden = true;
  const control = html('input', { type: 'password', required: true, autocomplete: 'off' });
  const enter = async (given) => {
    ({ token } = given);
    await refresh();
  };
  at('content').replaceChildren(
    section('Admin token', {}, form('Enter', [{ name: 'token', label: 'Token', control }], enter)),
  );
}

at('sign-out').addEventListener('click', showEntrance);
showEntrance();
