import type { ResourceOf } from '@svc-asr/core';
import type { ConsoleKind, ResourceStore } from './store.ts';

/** Maximum number of random names to try. Names collide so rarely that several collisions in a row mean a defect. */
const MAX_ATTEMPTS = 5;

/**
 * Creates a resource that `draw` builds under a random name. Calls `draw` again if the name is taken. Returns the last
 * result of `draw`, with the resource as it was stored.
 */
export async function createUnique<K extends ConsoleKind, D extends { resource: ResourceOf<K> }>(
  store: ResourceStore,
  kind: K,
  draw: () => D,
): Promise<D> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const drawn = draw();
    const { name } = drawn.resource.metadata;
    if ((await store.get(kind, name)) !== undefined) continue;
    const { resource } = await store.update(kind, name, (current) => {
      if (current !== undefined) throw new Error(`the random name ${name} was taken at the same time`);
      return drawn.resource;
    });
    return { ...drawn, resource };
  }
  throw new Error(`${MAX_ATTEMPTS} random names in a row were taken`);
}
