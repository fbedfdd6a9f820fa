import { measureQuality } from './quality.ts';

const word = (confidence: number, isRight: boolean) => ({ confidence, isRight });

test('measureQuality reports an AUC of 1 if all right words have higher confidences than all wrong words', () => {
  const quality = measureQuality([word(0.9, true), word(0.8, true), word(0.3, false)]);
  expect(quality).toMatchObject({ words: 3, auc: 1, mean_wrong: 0.3 });
  expect(quality.mean_right).toBeCloseTo(0.85);
  expect(quality.right_percent).toBeCloseTo(66.67, 1);
});

test('measureQuality reports an AUC of 0.5 if all confidences are equal', () => {
  expect(measureQuality([word(0.7, true), word(0.7, false)]).auc).toBe(0.5);
});

test('measureQuality reports no calibration error if each confidence equals the share of right words among the words with that confidence', () => {
  const words = [
    ...Array.from({ length: 3 }, () => word(0.75, true)),
    word(0.75, false),
    word(1, true),
    word(0, false),
  ];
  expect(measureQuality(words).calibration_error).toBeCloseTo(0);
});

test('calibration_error is the difference between a confidence and the share of right words among the words with that confidence', () => {
  expect(measureQuality([word(0.9, false), word(0.9, true)]).calibration_error).toBeCloseTo(0.4);
});

test('measureQuality returns undefined for each value that cannot be computed from the given words', () => {
  expect(measureQuality([])).toMatchObject({ words: 0, auc: undefined, mean: undefined, calibration_error: undefined });
  expect(measureQuality([word(1, true)])).toMatchObject({ auc: undefined, mean_wrong: undefined, mean_right: 1 });
});
