import { parseImageArguments } from './arguments.ts';

const parse = (...args: string[]) => parseImageArguments(args, 'linux/amd64');
const namesOf = (...args: string[]) => parse(...args)?.images.map(({ name }) => name);

describe('parseImageArguments', () => {
  const services = ['svc-asr-operator', 'svc-asr-gateway', 'svc-asr-worker', 'svc-asr-console'];

  test('selects all images but the CUDA one by default', () => {
    expect(namesOf()).toEqual([...services, 'svc-asr-loadtest']);
    expect(parse()).toMatchObject({ redis: true, platform: 'linux/amd64', verify: false });
  });

  test('selects only the named images', () => {
    expect(namesOf('svc-asr-worker', '--out', 'folder')).toEqual(['svc-asr-worker']);
    expect(parse('svc-asr-worker', '--out', 'folder')).toMatchObject({ redis: false, out: 'folder' });
  });

  test('with --verify, does not select Redis, and selects the load tests only if their image is named', () => {
    expect(namesOf('--verify')).toEqual(services);
    expect(parse('--verify')).toMatchObject({ redis: false, verify: true });
    expect(namesOf('--verify', 'svc-asr-loadtest')).toEqual(['svc-asr-loadtest']);
  });

  test('returns undefined with --help', () => expect(parse('--help')).toBeUndefined());

  test('rejects unknown images and platforms, and lists the known ones', () => {
    expect(() => parse('gateway')).toThrow('no image is named "gateway"; choose from svc-asr-operator');
    expect(() => parse('--platform', 'windows/amd64')).toThrow('--platform must be one of linux/amd64, linux/arm64');
  });
});
