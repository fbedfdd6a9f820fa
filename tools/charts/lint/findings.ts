import type { Exception } from './exceptions.ts';
import type { Linter } from './linters.ts';

/** One finding of a linter. */
export interface Finding {
  linter: Linter;
  check: string;
  /** Kind and name of the object, separated by a space. */
  object: string;
  message: string;
}

/** Grade of kube-score for a check without any remark. */
const ALL_OK = 10;

interface ScoredObject {
  type_meta: { kind: string };
  object_meta: { name: string };
  checks: {
    check: { id: string };
    grade: number;
    skipped: boolean;
    comments: { path: string; summary: string }[] | null;
  }[];
}

/** Parses the output of `kube-score score --output-format json`. Findings include warnings. */
export function parseKubeScore(output: string): Finding[] {
  return (JSON.parse(output) as ScoredObject[]).flatMap(({ type_meta: { kind }, object_meta: { name }, checks }) =>
    checks
      .filter(({ grade, skipped }) => !skipped && grade < ALL_OK)
      .flatMap(({ check, comments }) =>
        (comments ?? []).map(({ path, summary }) => ({
          linter: 'kube-score' as const,
          check: check.id,
          object: `${kind} ${name}`,
          message: path === '' ? summary : `${path}: ${summary}`,
        })),
      ),
  );
}

interface LintReport {
  Check: string;
  Diagnostic: { Message: string };
  Object: { K8sObject: { Name: string; GroupVersionKind: { Kind: string } } };
}

/** Parses the output of `kube-linter lint --format json`. */
export function parseKubeLinter(output: string): Finding[] {
  const { Reports } = JSON.parse(output) as { Reports: LintReport[] | null };
  return (Reports ?? []).map(({ Check, Diagnostic, Object: { K8sObject } }) => ({
    linter: 'kube-linter',
    check: Check,
    object: `${K8sObject.GroupVersionKind.Kind} ${K8sObject.Name}`,
    message: Diagnostic.Message,
  }));
}

/** Returns the findings that match no exception, and the exceptions that match no finding. */
export function judge(
  findings: readonly Finding[],
  exceptions: readonly Exception[],
): { open: Finding[]; unused: Exception[] } {
  const matches = ({ linter, check, where }: Exception, finding: Finding) =>
    linter === finding.linter && check === finding.check && where.test(`${finding.object}: ${finding.message}`);
  return {
    open: findings.filter((finding) => !exceptions.some((exception) => matches(exception, finding))),
    unused: exceptions.filter((exception) => !findings.some((finding) => matches(exception, finding))),
  };
}
