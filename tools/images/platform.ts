/** Platform of an image, as container registries write it. */
export type Platform = 'linux/amd64' | 'linux/arm64';

/** Two names for the architecture of each platform. `node` is the name in Node and npm, `debian` in Debian and Go. */
export const PLATFORMS: Readonly<Record<Platform, { node: 'x64' | 'arm64'; debian: 'amd64' | 'arm64' }>> = {
  'linux/amd64': { node: 'x64', debian: 'amd64' },
  'linux/arm64': { node: 'arm64', debian: 'arm64' },
};

/** Returns the platform of containers on a machine with this `process.arch`. */
export function platformOf(arch: string): Platform {
  const platform = (Object.keys(PLATFORMS) as Platform[]).find((name) => PLATFORMS[name].node === arch);
  if (platform === undefined) throw new Error(`no images exist for ${arch}: choose a platform with --platform`);
  return platform;
}
