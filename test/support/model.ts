/** Returns the YAML of an ASRModel. */
export function modelYaml(
  name: string,
  fields: { language?: string; code?: string; max?: number | string } = {},
): string {
  const { language = 'Kamba', code = 'kam', max = 1 } = fields;
  return `apiVersion: asr.svc.dev/v1
kind: ASRModel
metadata:
  name: ${name}
spec:
  language: ${language}
  languageCode: ${code}
  artifact:
    path: models/${name}
  scaling:
    min: 0
    max: ${max}
`;
}
