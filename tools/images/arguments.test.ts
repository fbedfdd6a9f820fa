import { parseImageArguments } from './arguments.ts';
import { titleOf } from './image.ts';

const parse = (...args: string[]) => parseImageArguments(args, 'linux/amd64');

test('without a name, everything but the image for CUDA is built', () => {
  const chosen = parse();
  expect(chosen?.images.map(titleOf)).toEqual([
    'svc-asr-operator',
    'svc-asr-gateway',
    'svc-asr-worker',
    'svc-asr-console',
    'svc-asr-loadtest',
  ]);
  expect(chosen).toMatchObject({ redis: true, platform: 'linux/amd64', dockerfiles: false });
});

test('named images are built alone', () => {
  const chosen = parse('svc-asr-worker-cuda', '--out', 'somewhere');
  expect(chosen?.images.map(titleOf)).toEqual(['svc-asr-worker-cuda']);
  expect(chosen).toMatchObject({ redis: false, out: 'somewhere' });
});

test('what does not exist is refused with what does', () => {
  expect(() => parse('gateway')).toThrow('"gateway" is none of svc-asr-operator');
  expect(() => parse('--platform', 'windows/amd64')).toThrow('--platform is one of linux/amd64, linux/arm64');
  expect(() => parse('svc-asr-worker-cuda', '--platform', 'linux/arm64')).toThrow('no CUDA for linux/arm64');
  expect(parse('--help')).toBeUndefined();
});
