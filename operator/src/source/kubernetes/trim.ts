import type { KubeMetadata, KubeObject } from '@svc-asr/kubernetes';

/**
 * Returns the part of a resource that the operator reads. The other parts would take most of the operator's memory.
 * They are mainly managed fields, and the annotation in which kubectl stores a copy of the whole object.
 */
export function trimResource({ apiVersion, kind, metadata, spec, status }: KubeObject): KubeObject {
  const { namespace } = metadata;
  // Only ASRModels can be outside of the namespace of the installation.
  const place = kind === 'ASRModel' && namespace !== undefined ? { namespace } : {};
  const trimmed = { ...trimMetadata(metadata), ...place };
  return { apiVersion, kind, metadata: trimmed, spec, ...(status !== undefined && { status }) };
}

function trimMetadata(metadata: KubeMetadata): KubeMetadata {
  const { name, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, finalizers } = metadata;
  return {
    name,
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(generation !== undefined && { generation }),
    ...(creationTimestamp !== undefined && { creationTimestamp }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(finalizers !== undefined && { finalizers }),
  };
}
