import { buildTenant } from './tenant.ts';
import { isWanted } from './search.ts';

const tenant = buildTenant('acme-radio', {
  displayName: 'Gĩkũyũ Radio',
  state: 'Active',
  contact: { name: 'Wanjiku', email: 'w@acme.example', organisation: 'Acme' },
});

test.each(['', 'acme', 'RADIO', 'gĩkũyũ', ' wanjiku ', '@acme.', 'Acme'])(
  'the search %j finds the tenant Gĩkũyũ Radio',
  (search) => {
    expect(isWanted(tenant, { search })).toBe(true);
  },
);

test.each([{ search: 'other' }, { state: 'Suspended' as const }, { search: 'other', state: 'Active' as const }])(
  'the search %j does not find the active tenant Gĩkũyũ Radio',
  (query) => {
    expect(isWanted(tenant, query)).toBe(false);
  },
);

test('a search by state finds tenants in that state', () => {
  expect(isWanted(tenant, { state: 'Active' })).toBe(true);
});
