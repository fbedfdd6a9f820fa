/** @import { LinkView, TenantView } from '../src/responses.ts' */
import { createCall } from './api.js';
import { button, form, secret } from './controls.js';
import { formatDateTime } from './format.js';
import { byId, html, section, showNotice, table } from './html.js';

/** The admin token. It is kept in memory only, so that it is lost when the page is closed. */
let token = '';

const call = createCall('/admin/v1', () => ({ authorization: `Bearer ${token}` }));

/**
 * @param {string} text
 * @param {() => Promise<void>} action
 * @param {string} kind
 */
const actionButton = (text, action, kind = 'quiet') => button(text, action, { kind, showError: showNotice });

/**
 * Approves or declines an application.
 *
 * @param {string} name
 * @param {'approve' | 'decline'} decision
 * @param {{ audio_seconds?: number }} [body]
 */
async function decide(name, decision, body) {
  await call('POST', `applications/${encodeURIComponent(name)}/${decision}`, body);
  await refresh();
}

/** @param {TenantView} tenant */
function applicationSection({ name, created_at: createdAt, spec }) {
  const { name: applicant = '', email = '', organisation = '', use = '' } = spec.contact ?? {};
  const seconds = html('input', { type: 'number', min: 0, placeholder: 'Default' });
  const approve = () => decide(name, 'approve', seconds.value === '' ? {} : { audio_seconds: Number(seconds.value) });
  const applied = `${applicant}, ${email}. Applied ${formatDateTime(createdAt, 'at an unknown time')}. Tenant ${name}`;
  return section(
    organisation === '' ? applicant : organisation,
    { class: 'application' },
    html('p', { class: 'faint' }, applied),
    html('p', {}, use),
    html(
      'div',
      { class: 'row' },
      html('label', {}, html('span', {}, 'Initial credit (seconds of audio)'), seconds),
      actionButton('Approve', approve),
      actionButton('Decline', () => decide(name, 'decline'), 'quiet danger'),
    ),
  );
}

/**
 * Formats the limit of a tenant, and those of its models.
 * @param {TenantView['spec']} spec
 */
function sessionLimits({ limits: { concurrentSessions, models = [] } }) {
  const ofModels = models.map((limit) => `${limit.model}: ${limit.concurrentSessions}`).join(', ');
  return ofModels === '' ? String(concurrentSessions) : `${concurrentSessions} (${ofModels})`;
}

/** @param {readonly TenantView[]} tenants */
function tenantsTable(tenants) {
  /** @param {string} name */
  const createLink = async (name) => {
    /** @type {LinkView} */
    const { path } = await call('POST', `tenants/${encodeURIComponent(name)}/link`);
    const text =
      'Append this path to the address of the console and send the link to the developer only. The previous link no longer works.';
    byId('new-link').replaceChildren(
      section(`New private link for ${name}`, { class: 'secret' }, html('p', {}, text), secret(path)),
    );
  };
  const rows = tenants.map(({ name, spec, read_only: isReadOnly }) => [
    spec.displayName,
    name,
    spec.state,
    spec.models.join(', '),
    spec.priority ?? 'normal',
    sessionLimits(spec),
    isReadOnly
      ? html('span', { class: 'faint' }, 'Read-only')
      : html(
          'span',
          {},
          ...(spec.state === 'Declined' ? [actionButton('Approve', () => decide(name, 'approve', {})), ' '] : []),
          actionButton('New link', () => createLink(name)),
        ),
  ]);
  return table(['Name', 'Tenant', 'Status', 'Models', 'Priority', 'Concurrent sessions', ''], rows);
}

async function refresh() {
  /** @type {(path: string) => Promise<{ data: TenantView[] }>} */
  const list = (path) => call('GET', path);
  const [applications, tenants] = await Promise.all([list('applications'), list('tenants')]);
  byId('sign-out').hidden = false;
  byId('content').replaceChildren(
    html('h1', {}, 'Applications'),
    ...(applications.data.length === 0
      ? [html('p', { class: 'faint' }, 'No pending applications.')]
      : applications.data.map(applicationSection)),
    html('h1', {}, 'Tenants'),
    html('div', { id: 'new-link' }),
    html('section', {}, tenantsTable(tenants.data)),
  );
}

function showSignIn() {
  token = '';
  showNotice('');
  byId('sign-out').hidden = true;
  const control = html('input', { type: 'password', required: true, autocomplete: 'off' });
  byId('content').replaceChildren(
    section(
      'Sign in',
      {},
      form('Sign in', { adminToken: { label: 'Admin token', control } }, async ({ adminToken }) => {
        token = adminToken;
        await refresh();
      }),
    ),
  );
}

byId('sign-out').addEventListener('click', showSignIn);
showSignIn();
