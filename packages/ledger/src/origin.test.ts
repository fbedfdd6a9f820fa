import { originText, readOrigin } from './origin.ts';

const REQUEST = '0f8fad5b-d9cb-469f-a165-70867728950e';

test('readOrigin parses the text that originText returns', () => {
  const text = originText({ keyId: '8fK2pQ9xLm', requestId: REQUEST });
  expect(text).toHaveLength(33);
  expect(readOrigin(text)).toEqual({ source: 'api', keyId: '8fK2pQ9xLm', requestId: REQUEST });
  expect(readOrigin(originText({ keyId: null, requestId: REQUEST }))).toEqual({
    source: 'playground',
    keyId: null,
    requestId: REQUEST,
  });
});

test.each([undefined, ''])('readOrigin of %p, as earlier versions stored it, returns the API as the source', (text) => {
  expect(readOrigin(text)).toEqual({ source: 'api', keyId: null, requestId: null });
});
