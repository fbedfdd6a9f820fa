import { createHash } from 'node:crypto';
import { pinOf } from '../install/go-tool.ts';
import type { Contents } from './contents.ts';
import { K6_LICENCE } from './k6.ts';
import { NODE_VERSION } from './node-binary.ts';
import { PLATFORMS } from './platform.ts';
import type { Platform } from './platform.ts';

/** A package of a bill of materials in the form of SPDX 2.3. */
interface SpdxPackage {
  SPDXID: string;
  name: string;
  versionInfo: string;
  downloadLocation: 'NOASSERTION';
  filesAnalyzed: false;
  licenseConcluded: 'NOASSERTION';
  licenseDeclared: string;
  copyrightText: 'NOASSERTION';
  checksums?: { algorithm: 'SHA512'; checksumValue: string }[];
  externalRefs: { referenceCategory: 'PACKAGE-MANAGER'; referenceType: 'purl'; referenceLocator: string }[];
}

/** What is known of a part of an image. */
interface Part {
  name: string;
  version: string;
  purl: string;
  license?: string | undefined;
  integrity?: string | undefined;
}

/** The bill of materials of an image, from the list that it was built by. It is the same for the same list. */
export function buildSbom(
  title: string,
  version: string,
  platform: Platform,
  contents: Pick<Contents, 'npm' | 'debian' | 'cuda' | 'k6'>,
) {
  const image = toPackage({ name: title, version, purl: `pkg:oci/${title}@${version}`, license: 'Apache-2.0' }, 0);
  const packages = listParts(platform, contents).map((part, at) => toPackage(part, at + 1));
  const hash = createHash('sha256')
    .update(JSON.stringify([image, packages, platform]))
    .digest('hex');
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `${title} ${version} ${platform}`,
    documentNamespace: `https://asr.svc.dev/sbom/${title}/${hash}`,
    creationInfo: { created: '1970-01-01T00:00:00Z', creators: ['Tool: svc-asr-images'] },
    packages: [image, ...packages],
    relationships: [
      { spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: image.SPDXID },
      ...packages.map(({ SPDXID }) => ({
        spdxElementId: image.SPDXID,
        relationshipType: 'CONTAINS',
        relatedSpdxElement: SPDXID,
      })),
    ],
  };
}

function listParts(
  platform: Platform,
  { npm, debian, cuda, k6 }: Pick<Contents, 'npm' | 'debian' | 'cuda' | 'k6'>,
): Part[] {
  const { debian: architecture } = PLATFORMS[platform];
  return [
    { name: 'node', version: NODE_VERSION, purl: `pkg:generic/node@${NODE_VERSION}`, license: 'MIT' },
    ...debian.map(({ name, version }) => ({
      name,
      version,
      purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`,
    })),
    ...npm.map(({ name, version, license, integrity }) => ({
      name,
      version,
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      license,
      integrity,
    })),
    ...cuda.map(({ name, version }) => ({ name, version, purl: `pkg:pypi/${name}@${version}` })),
    ...Object.entries(k6?.modules ?? {}).map(([name, version]) => ({
      name,
      version,
      purl: `pkg:golang/${name}@${version}`,
      license: name === pinOf('k6').packagePath ? K6_LICENCE : undefined,
    })),
  ];
}

function toPackage({ name, version, purl, license, integrity }: Part, at: number): SpdxPackage {
  const checksum = integrity?.startsWith('sha512-') === true ? Buffer.from(integrity.slice(7), 'base64') : undefined;
  return {
    SPDXID: `SPDXRef-${at}-${name.replace(/[^A-Za-z0-9.-]/g, '-')}`,
    name,
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared: license ?? 'NOASSERTION',
    copyrightText: 'NOASSERTION',
    ...(checksum === undefined
      ? {}
      : { checksums: [{ algorithm: 'SHA512' as const, checksumValue: checksum.toString('hex') }] }),
    externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }],
  };
}
