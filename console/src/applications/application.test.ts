import { approve, buildApplication, decline } from './application.ts';

const applicant = { name: 'Wanjirũ', email: 'w@example.org', organisation: 'Acme Radio', use: 'captions' };
const zeros = () => 0;
const tenant = (changes: object = {}) => {
  const built = buildApplication(applicant, zeros);
  return { ...built, spec: { ...built.spec, ...changes } };
};

test('an application is a Tenant that waits, with what was written', () => {
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
])('%s is called %s', (organisation, name) => {
  expect(buildApplication({ ...applicant, organisation }, zeros).metadata.name).toBe(name);
});

test('who names no organisation is known by the own name', () => {
  const alone = { name: applicant.name, email: applicant.email, use: applicant.use };
  const { metadata, spec } = buildApplication(alone, zeros);
  expect([metadata.name, spec.displayName, spec.contact]).toEqual(['wanjiru-000000', 'Wanjirũ', alone]);
});

test('approval makes it active with one grant, however often it is given', () => {
  const once = approve(tenant(), { asked: undefined, usual: 60 });
  expect(once.spec).toMatchObject({ state: 'Active', grants: [{ id: 'welcome', audioSeconds: 60 }] });
  expect(approve(once, { asked: undefined, usual: 3600 })).toBe(once);
  expect(approve(once, { asked: 60, usual: 3600 })).toBe(once);
  // Whoever asks for another amount must not believe that it was given.
  expect(() => approve(once, { asked: 61, usual: 60 })).toThrow('is Active');
  const without = approve(tenant(), { asked: 0, usual: 60 });
  expect(without.spec).toMatchObject({ state: 'Active', grants: [] });
  expect(approve(without, { asked: 0, usual: 60 })).toBe(without);
});

test('who was declined can be approved; whoever is served is not up for a decision', () => {
  const declined = decline(tenant());
  expect(declined.spec.state).toBe('Declined');
  expect(decline(declined)).toBe(declined);
  expect(approve(declined, { asked: 1, usual: 2 }).spec.state).toBe('Active');
  expect(() => decline(tenant({ state: 'Active' }))).toThrow('is Active: there is no application');
  expect(() => approve(tenant({ state: 'Suspended' }), { asked: 1, usual: 1 })).toThrow('is Suspended');
  // Made by hand and active already: an approval would add credit that nobody meant.
  expect(() => approve(tenant({ state: 'Active' }), { asked: 1, usual: 1 })).toThrow('is Active');
});
