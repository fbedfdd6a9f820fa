import { useState } from 'preact/hooks';
import { useLoad } from '../../data/use-load.ts';
import { texts } from '../../texts/index.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { Card, Page, Skeleton } from '../../ui/content.tsx';
import { SelectField } from '../../ui/field.tsx';
import { LoadFailure, Notice } from '../../ui/notice.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useAccount } from '../account-context.ts';
import { call } from '../api.ts';
import type { Language, Target } from './snippets.ts';
import { SET_KEY, snippetOf } from './snippets.ts';

/** Examples that users can paste and run without changes. */
export function QuickStartPage() {
  const text = texts.quickStart;
  const models = useLoad('models', () => call('GET models'));
  return (
    <Page title={text.title} lead={text.lead}>
      <KeyStep />
      {models.error !== undefined && <LoadFailure error={models.error} onRetry={() => void models.reload()} />}
      {models.data === undefined && models.error === undefined && <Skeleton lines={6} />}
      {models.data !== undefined && <AudioStep models={models.data.data.map(({ id }) => id)} />}
    </Page>
  );
}

function KeyStep() {
  const text = texts.quickStart;
  const keys = useLoad('keys', () => call('GET keys'));
  return (
    <Card title={`1. ${text.stepKey}`}>
      {keys.data?.data.length === 0 && (
        <Notice actions={<ButtonLink href="/keys">{text.createKey}</ButtonLink>}>{text.noKey}</Notice>
      )}
      <p class="step-text">{text.stepKeyText}</p>
      <Code title={text.keyCommand} text={SET_KEY} />
    </Card>
  );
}

function AudioStep({ models }: { models: readonly string[] }) {
  const { account } = useAccount();
  const text = texts.quickStart;
  const [language, setLanguage] = useState<Language>('curl');
  const [chosen, setChosen] = useState(models[0]);
  if (chosen === undefined) return <Notice tone="warning">{text.noModel}</Notice>;
  const target: Target = { apiUrl: account.api_url, caFile: account.api_ca_file, model: chosen };
  const { file, command } = snippetOf(language, target);
  const explanations = {
    curl: text.curlText,
    node: text.nodeText,
    python: text.pythonText,
    browser: text.browserText,
  };
  return (
    <Card title={`2. ${text.stepRun}`}>
      {models.length > 1 && (
        <div class="narrow">
          <SelectField
            label={text.model}
            value={chosen}
            onChange={setChosen}
            choices={models.map((model) => [model, model])}
          />
        </div>
      )}
      <Tabs
        label={text.languages}
        tabs={[
          ['curl', text.curl],
          ['node', text.node],
          ['python', text.python],
          ['browser', text.browser],
        ]}
        selected={language}
        onSelect={setLanguage}
      >
        <p class="step-text">{explanations[language]}</p>
        {language !== 'browser' && <p class="step-text faint">{text.stepRunText}</p>}
        {file !== undefined && <Code title={file.name} text={file.text} />}
        <Code title={text.command} text={command} />
        {language === 'browser' && <p class="step-text">{text.browserOpen}</p>}
        {language === 'browser' && target.caFile !== null && <p class="hint">{text.localCa}</p>}
      </Tabs>
    </Card>
  );
}
