import type { AsrModel, RolloutState } from '@svc-asr/core';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeObject } from '@svc-asr/kubernetes';
import type {
  DesiredWorkers,
  NodeNotice,
  RunningWorker,
  RuntimeListener,
  StartFailure,
  WorkerRuntime,
} from '../runtime.ts';
import { buildTemplate } from '../template.ts';
import type { Revision, RevisionTier, WorkerTemplate } from '../template.ts';
import { findDeployedSecrets, findSecretReferences, namesSecret } from './admission/secret-references.ts';
import { createUsableSecrets } from './admission/usable-secrets.ts';
import type { UsableSecrets } from './admission/usable-secrets.ts';
import { convergeModel, hasNothingLeft, isLeftToKubernetes } from './converge.ts';
import type { Installation } from './installation.ts';
import { describeUnavailable, isNamespaceDeleted } from './model-namespace.ts';
import { LABELS, revisionName, sharedName } from './names.ts';
import { createChildBuilder } from './objects/children.ts';
import type { ChildBuilder } from './objects/children.ts';
import { revisionOf } from './objects/pod-template.ts';
import { readRolloutState } from './objects/rollout-state.ts';
import { findTemplateProblem } from './admission/template-problem.ts';
import { listWorkers } from './pods/running-worker.ts';
import { findStartFailure } from './pods/start-failure.ts';
import { describeFailingNode, NodeFailures } from './node-failures.ts';
import { DisruptionLimits } from './disruption-limits.ts';
import type { NodeNotices } from './nodes/node-notices.ts';
import { describeNotice } from './nodes/notice.ts';
import { failureKey, RevisionFailures } from './revision-failures.ts';
import type { WorkerPod } from './pods/pod.ts';
import { createScaleWriter } from './scale-writer.ts';
import type { SecretSource } from './secret/model-secret.ts';
import type { ScaleWriter, ScaleWriterOptions } from './scale-writer.ts';
import { createClusterView, recordOnModel } from './view.ts';
import type { ClusterView, ClusterViewOptions } from './view.ts';

export interface ClusterRuntimeOptions
  extends Omit<ClusterViewOptions, 'onUnblocked'>, Omit<ScaleWriterOptions, 'api'> {
  installation: Installation;
  secretSources: readonly SecretSource[];
  /** Called when a model was deleted and its last pod has ended. Called again if it fails. */
  onRemoved?: (model: string) => Promise<void>;
  /** Notices of nodes. Undefined if nodes must not be read. */
  nodeNotices?: Pick<NodeNotices, 'find'> | undefined;
  /** Adds a model to the queue that calls `converge`. */
  enqueue: (model: string) => void;
}

/**
 * Runs workers as pods in one namespace. Each revision of a model has a Deployment, or one for each tier, and the
 * objects that belong to it. `apply` records the desired state and enqueues the model; `converge` writes what differs.
 */
export class ClusterRuntime implements WorkerRuntime {
  readonly #options: ClusterRuntimeOptions;
  readonly #view: ClusterView;
  readonly #builder: ChildBuilder;
  readonly #scaleWriter: ScaleWriter;
  readonly #failures: RevisionFailures;
  readonly #nodeFailures: NodeFailures;
  readonly #disruptionLimits: DisruptionLimits;
  readonly #secrets: UsableSecrets;
  readonly #desired = new Map<string, DesiredWorkers>();
  /** True once all objects were listed. Nothing is written before that, because unknown objects may exist. */
  #isOpen = false;
  /** True if the namespace could not be listed and was found to be deleted. */
  #isDeleted = false;
  #listener: RuntimeListener = { onEnded: () => undefined, onChanged: () => undefined };

  constructor(options: ClusterRuntimeOptions) {
    this.#options = options;
    this.#view = createClusterView({ ...options, onUnblocked: options.enqueue });
    this.#builder = createChildBuilder(options.installation);
    this.#scaleWriter = createScaleWriter(options);
    this.#failures = new RevisionFailures(options.nowMs);
    this.#nodeFailures = new NodeFailures(options.nowMs);
    this.#disruptionLimits = new DisruptionLimits(options.nowMs);
    this.#secrets = createUsableSecrets({
      reflect: options.reflect,
      namespace: options.api.namespace,
      ownSecrets: options.installation.ownSecrets,
      onChange: (name) => this.#secretChanged(name),
    });
  }

  async open(listener: RuntimeListener): Promise<void> {
    this.#listener = listener;
    await Promise.all([this.#view.start(listener), this.#secrets.start()]);
    this.#isOpen = true;
    // All desired states so far were decided before the workers and the rollouts were known. Their pools decide again.
    const undecided = [...this.#desired.keys()];
    this.#desired.clear();
    for (const model of undecided) listener.onChanged(model);
  }

  buildTemplate(model: AsrModel, guests?: readonly AsrModel[]): WorkerTemplate {
    const template = buildTemplate(model, guests);
    return { ...template, revision: revisionOf(template, this.#options.installation) };
  }

  models(): string[] {
    return [...new Set([...this.#view.pods.models(), ...this.#view.children.models()])];
  }

  /** Reports whether the namespace has objects of a model, or a desired state for it. */
  has(model: string): boolean {
    const { pods, children } = this.#view;
    return this.#desired.has(model) || pods.of(model).length > 0 || children.deployments(model).length > 0;
  }

  list(model: string): RunningWorker[] {
    const { nodeNotices } = this.#options;
    return listWorkers(model, this.#view, ({ name, node }) =>
      nodeNotices?.find(node, this.#view.pods.scheduledAtMs(name)),
    );
  }

  apply(model: string, desired: DesiredWorkers): void {
    const previous = this.#desired.get(model);
    for (const revision of previous?.counts.keys() ?? []) {
      if (!desired.counts.has(revision)) this.#failures.forget(revision);
    }
    for (const { id, failure } of desired.stop) this.#select(id, failure);
    this.#desired.set(model, desired);
    this.#options.enqueue(model);
  }

  /** Writes what differs between the desired state of a model and the cluster. Call again if it fails. */
  async converge(model: string): Promise<void> {
    const desired = this.#desired.get(model);
    if (desired === undefined) return;
    if (!this.#isOpen) return this.#convergeUnlisted(model, desired);
    const revision = desired.template?.revision;
    // Nothing is created from a refused template. Older revisions of the model are still scaled.
    const isTemplateRefused = desired.template !== undefined && this.#findProblem(desired.template) !== undefined;
    let problem: Error | undefined;
    try {
      // The owner is set even for a refused template. It is needed to renew the certificate of the older workers.
      problem = await convergeModel(
        { model, owner: desired.template },
        isTemplateRefused ? { ...desired, template: undefined } : desired,
        {
          view: this.#view,
          builder: this.#builder,
          scaleWriter: this.#scaleWriter,
          secretSources: this.#options.secretSources,
          countProtected: (of, evictable) =>
            this.#disruptionLimits.countProtected(of, this.#view.pods.of(of), evictable, this.#options.installation),
          isRefused: (of, deployment) =>
            (isTemplateRefused && of === revision) || this.#findDeployedProblem(deployment) !== undefined,
          onTierWritten: (tier, error) => this.#failures.written(failureKey(tier), error),
        },
      );
    } catch (error) {
      if (isLeftToKubernetes(model, desired, this.#view, error)) return this.#finishRemoval(model, desired);
      if (revision !== undefined) this.#failures.refused(revision, error);
      throw error;
    }
    if (revision !== undefined) this.#failures.accepted(revision);
    await this.#finishRemoval(model, desired);
    if (problem !== undefined) throw problem;
  }

  confirm(id: string): void {
    const { pods } = this.#view;
    const pod = pods.get(id);
    if (pod !== undefined) this.#failures.confirmed(failureKey(pod), pods.ageMs(id));
  }

  startFailure({ model, revision, tier }: RevisionTier): StartFailure | undefined {
    const tiers = tier === undefined ? this.tiers({ model, revision }) : [];
    if (tiers.length > 0) {
      const failures = tiers.map((name) => this.startFailure({ model, revision, tier: name }));
      return failures.includes(undefined) ? undefined : failures[0];
    }
    if (!this.#isOpen) return describeUnavailable(this.#options.api.namespace);
    const { pods, children } = this.#view;
    const template = this.#desired.get(model)?.template;
    const provisionMs = template === undefined ? Infinity : template.provisionSeconds * 1000;
    const deployment = children.get(TYPES.Deployment, revisionName(model, revision, tier));
    const problem =
      template?.revision === revision ? this.#findProblem(template) : this.#findDeployedProblem(deployment);
    if (problem !== undefined) return { ...problem, isRefusal: true };
    return (
      this.#failures.refusal(revision) ??
      (tier === undefined ? undefined : this.#failures.refusal(failureKey({ revision, tier }))) ??
      findStartFailure(pods.of(model, revision, tier), deployment, provisionMs) ??
      this.#failures.crashes(failureKey({ revision, ...(tier !== undefined && { tier }) }))
    );
  }

  tiers({ model, revision }: Revision): string[] {
    const template = this.#desired.get(model)?.template;
    if (template?.revision === revision) return (template.tiers ?? []).map(({ name }) => name);
    const labels = this.#view.children.deployments(model).map(({ metadata }) => metadata.labels ?? {});
    return labels.filter((one) => one[LABELS.revision] === revision).flatMap((one) => one[LABELS.tier] ?? []);
  }

  failingNodes(model: string): string[] {
    return this.#nodeFailures.list(model);
  }

  isListed(): boolean {
    return this.#isOpen;
  }

  mayMissWorkers(): boolean {
    return !this.#isOpen && !this.#isDeleted;
  }

  storedRollout({ model }: Pick<WorkerTemplate, 'model'>): RolloutState | undefined {
    return readRolloutState(this.#view.children.get(TYPES.ConfigMap, sharedName(model)));
  }

  /** Call when the notice about a node has changed. Reports each model with workers on this node to the listener. */
  noticeChanged(node: string, notice: NodeNotice | undefined): void {
    const { pods, children } = this.#view;
    for (const model of pods.modelsOn(node)) {
      this.#listener.onChanged(model);
      if (notice === undefined) continue;
      const message = describeNotice(node, notice);
      this.#options.logger.info({ model, reason: node }, `${model}: ${message}`);
      recordOnModel(this.#options.events, children.deployments(model), 'Normal', 'NodeLeaving', message);
    }
  }

  close(): Promise<void> {
    this.#view.stop();
    this.#secrets.stop();
    return Promise.resolve();
  }

  /** Forgets a deleted model whose namespace is deleted too. Does nothing else, because no objects were listed yet. */
  async #convergeUnlisted(model: string, desired: DesiredWorkers): Promise<void> {
    if (desired.template !== undefined) return;
    this.#isDeleted = await isNamespaceDeleted(this.#options.api);
    if (!this.#isDeleted) return;
    await this.#finishRemoval(model, desired);
    this.#listener.onChanged(model);
  }

  /** Forgets a model that was deleted, after its last pod has ended. */
  async #finishRemoval(model: string, desired: DesiredWorkers): Promise<void> {
    const isNewest = () => this.#desired.get(model) === desired;
    if (!isNewest() || !hasNothingLeft(model, desired, this.#view)) return;
    await this.#options.onRemoved?.(model);
    // The model may have been created again meanwhile.
    if (!isNewest()) return;
    this.#desired.delete(model);
    this.#disruptionLimits.forget(model);
  }

  /** Selects a pod for removal. The next `converge` marks it, and the same or a later call removes it. */
  #select(id: string, failure: string | undefined): void {
    const { pods, removals } = this.#view;
    const pod = pods.get(id);
    if (pod === undefined || pod.terminating || removals.isSelected(pod)) return;
    if (failure !== undefined) this.#recordFailure(pod, failure);
    this.#options.logger.info({ model: pod.model, reason: failure }, `worker ${id} selected for removal`);
    removals.select(pod, failure ?? 'drained');
  }

  /** Records that a pod failed. If other pods of its revision are ready, its node may be the cause. */
  #recordFailure(pod: WorkerPod, failure: string): void {
    const { pods, children } = this.#view;
    const { name, model, revision, tier, node } = pod;
    const isWorking = pods.of(model, revision, tier).some((other) => other.ready && other.name !== name);
    if (!isWorking || node === '') {
      this.#failures.crashed(failureKey(pod), failure);
      return;
    }
    if (!this.#nodeFailures.record(model, node)) return;
    const message = describeFailingNode(model, node, failure);
    this.#options.logger.warn({ model, reason: node }, message);
    recordOnModel(this.#options.events, children.deployments(model), 'Warning', 'NodeFailing', message);
  }

  /** Returns why no pods may be created from a template. */
  #findProblem(template: WorkerTemplate): StartFailure | undefined {
    return (
      findTemplateProblem(template, this.#options.installation) ??
      this.#secrets.findRefusal(findSecretReferences(template))
    );
  }

  /** Returns why no further pods may be created from the Deployment of an older revision. */
  #findDeployedProblem(deployment: KubeObject | undefined): StartFailure | undefined {
    return this.#secrets.findRefusal(findDeployedSecrets(deployment));
  }

  /** Notifies the listener about each model that names the changed Secret. */
  #secretChanged(name: string): void {
    for (const [model, { template }] of this.#desired) {
      const deployments = this.#view.children.deployments(model);
      if (namesSecret(name, template, deployments)) this.#listener.onChanged(model);
    }
  }
}
