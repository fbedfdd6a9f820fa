import { useState } from 'preact/hooks';
import type { StreamConfig } from '@svc-asr/client/browser';
import type { ListedKey } from '../../../src/responses.ts';
import { texts } from '../../texts/index.ts';
import { Code } from '../../ui/code.tsx';
import { Card } from '../../ui/content.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useAccount } from '../account-context.ts';
import { MAX_AUDIO_SECONDS } from './choices.ts';
import { buildCode, CODE_KINDS } from './code.ts';
import type { CodeKind } from './code.ts';

/** Example code that recognizes speech with the chosen settings. A comment in the code names the chosen API key. */
export function CodeCard({ model, config, keys }: { model: string; config: StreamConfig; keys: readonly ListedKey[] }) {
  const { account } = useAccount();
  const [keyId, setKeyId] = useState('');
  const [kind, setKind] = useState<CodeKind>('curl');
  const text = texts.playground;
  const key = keys.find(({ key_id: id }) => id === keyId) ?? keys[0];
  const facts = {
    apiUrl: account.api_url,
    caFile: account.api_ca_file,
    model,
    maxAudioSeconds: MAX_AUDIO_SECONDS,
    config,
    key: key && { name: key.name, lastFour: key.last_four },
  };
  return (
    <Card title={text.code}>
      <p class="faint form-lead">{text.codeText}</p>
      <SelectField
        label={text.codeKey}
        value={key?.key_id ?? ''}
        onChange={setKeyId}
        choices={
          keys.length === 0
            ? [['', text.codeNoKey]]
            : keys.map(
                ({ key_id: id, name, last_four: lastFour }) =>
                  [id, name === '' ? `…${lastFour}` : `${name} (…${lastFour})`] as const,
              )
        }
      />
      <Tabs
        label={text.code}
        tabs={CODE_KINDS.map((each) => [each, text.codeKinds[each]] as const)}
        selected={kind}
        onSelect={setKind}
      >
        <Code title={text.codeKinds[kind]} text={buildCode(kind, facts)} />
      </Tabs>
    </Card>
  );
}
