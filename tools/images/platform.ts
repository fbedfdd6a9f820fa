/** What an image runs on, as container registries write it. */
export type Platform = 'linux/amd64' | 'linux/arm64';

/** How others name the same platform. */
export interface PlatformNames {
  /** Node's and npm's. */
  node: 'x64' | 'arm64';
  /** Debian's. */
  debian: 'amd64' | 'arm64';
  /** The folder of libraries on Debian. */
  triplet: string;
}

export const PLATFORMS: Readonly<Record<Platform, PlatformNames>> = {
  'linux/amd64': { node: 'x64', debian: 'amd64', triplet: 'x86_64-linux-gnu' },
  'linux/arm64': { node: 'arm64', debian: 'arm64', triplet: 'aarch64-linux-gnu' },
};

/** The platform of containers on a machine. */
export function platformOf(arch: string): Platform {
  for (const platform of Object.keys(PLATFORMS) as Platform[]) {
    if (PLATFORMS[platform].node === arch) return platform;
  }
  throw new Error(`there are no images for ${arch}: build on amd64 or arm64, or name one of them with --platform`);
}
