import { useState } from 'preact/hooks';
import { useAction } from '../../data/use-action.ts';
import { adminTexts } from '../../texts/admin.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/content.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Notice, Problem } from '../../ui/notice.tsx';
import { call } from '../api.ts';
import { useMayChange } from '../rights.ts';
import type { TabProps } from './tab-props.ts';

const SECONDS_PER_MINUTE = 60;

/** Changes the limits, the budget, the priority and the models of a tenant. */
export function LimitsTab({ tenant: { name, spec }, reload }: TabProps) {
  const text = adminTexts.limits;
  const { limits } = spec;
  const budgetSeconds = spec.budget?.monthlyAudioSeconds;
  const [concurrent, setConcurrent] = useState(String(limits.concurrentSessions));
  const [sessionRate, setSessionRate] = useState(String(limits.sessionsPerMinute));
  const [requestRate, setRequestRate] = useState(String(limits.requestsPerMinute));
  const [budget, setBudget] = useState(budgetSeconds === undefined ? '' : String(budgetSeconds / SECONDS_PER_MINUTE));
  const [priority, setPriority] = useState<string>(spec.priority ?? 'normal');
  const [models, setModels] = useState(spec.models.join(', '));
  const [outcome, setOutcome] = useState<'saved' | 'waiting'>();
  const save = useAction(async () => {
    setOutcome(undefined);
    const body = {
      limits: {
        concurrentSessions: Number(concurrent),
        sessionsPerMinute: Number(sessionRate),
        requestsPerMinute: Number(requestRate),
      },
      budget: budget === '' ? null : { monthlyAudioSeconds: Math.round(Number(budget) * SECONDS_PER_MINUTE) },
      priority,
      models: models.split(/[\s,]+/).filter((model) => model !== ''),
    };
    const { applied } = await call('PATCH tenants/:name', { params: { name }, body });
    setOutcome(applied ? 'saved' : 'waiting');
    announce(adminTexts.common.saved);
    await reload();
  });
  const mayChange = useMayChange();
  const number = { type: 'number', min: '1', step: '1', required: true } as const;
  return (
    <Card title={text.title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.run();
        }}
      >
        <fieldset class="plain" disabled={!mayChange}>
          <div class="fields">
            <TextField {...number} label={text.concurrent} value={concurrent} onChange={setConcurrent} />
            <TextField {...number} label={text.sessionRate} value={sessionRate} onChange={setSessionRate} />
            <TextField {...number} label={text.requestRate} value={requestRate} onChange={setRequestRate} />
          </div>
          <div class="fields">
            <TextField
              type="number"
              min="0"
              step="any"
              label={text.budget}
              hint={text.budgetHint}
              value={budget}
              onChange={setBudget}
            />
            <SelectField
              label={text.priority}
              value={priority}
              onChange={setPriority}
              choices={Object.entries(text.priorities)}
            />
            <TextField label={text.models} hint={text.modelsHint} value={models} onChange={setModels} isMono required />
          </div>
        </fieldset>
        <Problem message={save.problem} />
        {outcome === 'saved' && <Notice tone="success">{adminTexts.common.saved}</Notice>}
        {outcome === 'waiting' && <Notice tone="warning">{adminTexts.common.notApplied}</Notice>}
        {mayChange && (
          <Button type="submit" kind="primary" isBusy={save.isRunning}>
            {adminTexts.common.save}
          </Button>
        )}
      </form>
    </Card>
  );
}
