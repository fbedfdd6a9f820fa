import { approve, buildApplication, decline } from './application.ts';
import { declineReasonOf } from '../tenants/decline-reason.ts';

const applicant = { name: 'Wanjirũ', email: 'w@example.org', organisation: 'Acme Radio', use: 'captions' };
const zeros = () => 0;
const tenant = (changes: object = {}) => {
  const built = buildApplication(applicant, zeros);
  return { ...built, spec: { ...built.spec, ...changes } };
};

test('buildApplication creates a waitlisted Tenant with the contact details', () => {
  expect(buildApplication(applicant, zeros)).toMatchObject({
    kind: 'Tenant',
    metadata: { name: 'acme-radio-000000' },
    spec: { displayName: 'Acme Radio', state: 'Waitlisted', contact: applicant, grants: [] },
  });
});

test.each([
  ['Wĩra wa Rũthiomi', 'wira-wa-ruthiomi-000000'],
  ['  -- Ōmega & Söhne! ', 'omega-sohne-000000'],
  ['話', 'tenant-000000'],
  ['x'.repeat(200), `${'x'.repeat(40)}-000000`],
  [`${'x'.repeat(39)} y`, `${'x'.repeat(39)}-000000`],
])('buildApplication for the organisation "%s" returns the tenant name %s', (organisation, name) => {
  expect(buildApplication({ ...applicant, organisation }, zeros).metadata.name).toBe(name);
});

test('buildApplication uses the name of the applicant if there is no organisation', () => {
  const alone = { name: applicant.name, email: applicant.email, use: applicant.use };
  const { metadata, spec } = buildApplication(alone, zeros);
  expect([metadata.name, spec.displayName, spec.contact]).toEqual(['wanjiru-000000', 'Wanjirũ', alone]);
});

test('approve() activates the tenant with one grant, and a second approval with the same amount changes nothing', () => {
  const once = approve(tenant(), { requested: undefined, fallback: 60 });
  expect(once.spec).toMatchObject({ state: 'Active', grants: [{ id: 'welcome', audioSeconds: 60 }] });
  expect(approve(once, { requested: undefined, fallback: 3600 })).toBe(once);
  expect(approve(once, { requested: 60, fallback: 3600 })).toBe(once);
  // A second approval with another amount must fail, because it does not change the amount that was granted.
  expect(() => approve(once, { requested: 61, fallback: 60 })).toThrow('is Active');
  const without = approve(tenant(), { requested: 0, fallback: 60 });
  expect(without.spec).toMatchObject({ state: 'Active', grants: [] });
  expect(approve(without, { requested: 0, fallback: 60 })).toBe(without);
});

test('approve() throws for a suspended tenant and for a tenant that was created as active, but not for a declined tenant; decline() throws for an active tenant', () => {
  const declined = decline(tenant());
  expect(declined.spec.state).toBe('Declined');
  expect(decline(declined)).toBe(declined);
  expect(approve(declined, { requested: 1, fallback: 2 }).spec.state).toBe('Active');
  expect(() => decline(tenant({ state: 'Active' }))).toThrow('is Active: it has no pending application');
  expect(() => approve(tenant({ state: 'Suspended' }), { requested: 1, fallback: 1 })).toThrow('is Suspended');
  // An administrator created this tenant as active. An approval would add unintended credit.
  expect(() => approve(tenant({ state: 'Active' }), { requested: 1, fallback: 1 })).toThrow('is Active');
});

test('approve() sets the models and limits that the administrator chose, and a second call with other models throws', () => {
  const wanted = { requested: 60, fallback: 1, models: ['m1'], limits: { concurrentSessions: 5 } };
  const approved = approve(tenant(), wanted);
  expect(approved.spec).toMatchObject({
    state: 'Active',
    models: ['m1'],
    limits: { concurrentSessions: 5, sessionsPerMinute: 60, requestsPerMinute: 600 },
  });
  expect(approve(approved, wanted)).toBe(approved);
  expect(() => approve(approved, { ...wanted, models: ['m2'] })).toThrow('is Active');
  expect(() => approve(tenant(), { ...wanted, limits: { concurrentSessions: 0 } })).toThrow('concurrentSessions');
  expect(() => approve(tenant(), { ...wanted, limits: { unknown: 1 } })).toThrow('unknown');
});

test('decline() stores a reason, which a later reason replaces and an approval removes', () => {
  const declined = decline(tenant(), 'Please describe the use.');
  expect(declineReasonOf(declined)).toBe('Please describe the use.');
  expect(decline(declined, 'Please describe the use.')).toBe(declined);
  expect(declineReasonOf(decline(declined))).toBe('Please describe the use.');
  expect(declineReasonOf(decline(declined, 'Another reason.'))).toBe('Another reason.');
  const approved = approve(declined, { requested: 1, fallback: 1 });
  expect(declineReasonOf(approved)).toBeNull();
  expect(declineReasonOf({ ...approved, spec: { ...approved.spec, state: 'Declined' } })).toBeNull();
});
