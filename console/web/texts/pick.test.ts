import { pickLanguage } from './pick.ts';

test.each([
  [['luo-KE', 'en-KE'], { language: 'luo', locale: 'luo-KE' }],
  [['fr', 'EN-ke'], { language: 'en', locale: 'EN-ke' }],
  [['fr'], { language: 'en', locale: 'en' }],
  [[], { language: 'en', locale: 'en' }],
])('pickLanguage for a browser with the languages %j returns %j', (preferred, picked) => {
  expect(pickLanguage(preferred, ['en', 'luo'], 'en')).toEqual(picked);
});
