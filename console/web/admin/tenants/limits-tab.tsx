import { useState } from 'preact/hooks';
import type { ModelListView } from '../../../src/responses/administration.ts';
import { useAction } from '../../data/use-action.ts';
import { useLoad } from '../../data/use-load.ts';
import { adminTexts } from '../../texts/admin.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/content.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Notice, Problem } from '../../ui/notice.tsx';
import { call } from '../api.ts';
import { problemOfMinutes } from '../minutes.ts';
import { useMayChange } from '../rights.ts';
import type { LimitsForm } from './limits-form.ts';
import { formOf, patchOf } from './limits-form.ts';
import type { TabProps } from './tab-props.ts';

/** Changes the limits, the budget, the priority and the models of a tenant. */
export function LimitsTab({ tenant: { name, spec }, reload }: TabProps) {
  const text = adminTexts.limits;
  // The values that the fields had before the administrator changed them.
  const [before, setBefore] = useState(() => formOf(spec));
  const [form, setForm] = useState(before);
  const [outcome, setOutcome] = useState<'saved' | 'waiting' | 'unchanged'>();
  const [budgetProblem, setBudgetProblem] = useState<string>();
  const models = useLoad('models', () => call('GET models'));
  const unknown = unknownModels(spec.models, models.data);
  const save = useAction(async () => {
    setOutcome(undefined);
    const problem = form.budget === '' ? undefined : problemOfMinutes(form.budget);
    setBudgetProblem(problem);
    if (problem !== undefined) return;
    const body = patchOf(before, form);
    if (Object.keys(body).length === 0) {
      setOutcome('unchanged');
      return;
    }
    const saved = await call('PATCH tenants/:name', { params: { name }, body });
    const shown = formOf(saved.spec);
    setBefore(shown);
    setForm(shown);
    setOutcome(saved.applied ? 'saved' : 'waiting');
    announce(adminTexts.common.saved);
    await reload();
  });
  const mayChange = useMayChange();
  const number = { type: 'number', min: '1', step: '1', required: true } as const;
  const bind = (field: keyof LimitsForm) => ({
    value: form[field],
    onChange: (value: string) => setForm((current) => ({ ...current, [field]: value })),
  });
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
            <TextField {...number} label={text.concurrent} {...bind('concurrent')} />
            <TextField {...number} label={text.sessionRate} {...bind('sessionRate')} />
            <TextField {...number} label={text.requestRate} {...bind('requestRate')} />
          </div>
          <div class="fields">
            <TextField
              type="number"
              min="0"
              step="any"
              label={text.budget}
              hint={text.budgetHint}
              {...(budgetProblem !== undefined && { problem: budgetProblem })}
              {...bind('budget')}
            />
            <SelectField label={text.priority} choices={Object.entries(text.priorities)} {...bind('priority')} />
            <TextField label={text.models} hint={text.modelsHint} isMono required {...bind('models')} />
          </div>
        </fieldset>
        {unknown.length > 0 && <Notice tone="warning">{text.unknownModels(unknown.join(', '))}</Notice>}
        <Problem message={save.problem} />
        {outcome === 'saved' && <Notice tone="success">{adminTexts.common.saved}</Notice>}
        {outcome === 'waiting' && <Notice tone="warning">{adminTexts.common.notApplied}</Notice>}
        {outcome === 'unchanged' && <Notice>{adminTexts.common.unchanged}</Notice>}
        {mayChange && (
          <Button type="submit" kind="primary" isBusy={save.isRunning}>
            {adminTexts.common.save}
          </Button>
        )}
      </form>
    </Card>
  );
}

/**
 * Returns the names in a tenant's model list that belong to no existing model. Empty while Redis is unavailable,
 * because the list of existing models is then incomplete.
 */
function unknownModels(models: readonly string[], known: ModelListView | undefined): string[] {
  if (known?.ledger_available !== true) return [];
  const names = new Set(['*', ...known.data.map(({ name }) => name)]);
  return models.filter((model) => !names.has(model));
}
